import { mayRead } from '../access/admission.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import type { KeyDirectory } from '../access/keys/key-directory.ts'
import type { KeyLimits } from '../access/limits/key-limits.ts'
import type { EndReason } from './end-reason.ts'
import { createStream, type Stream, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'

/** The open streams of this gateway. */
export interface Streams {
  /** Counts as a connection of the key until the socket is closed. Ends when the key no longer allows it. */
  open(key: ApiKey, transport: Transport): Stream
  endAll(reason: EndReason): void
}

export interface StreamsOptions extends Omit<StreamOptions, 'key' | 'transport'> {
  readonly keys: KeyDirectory
  readonly keyLimits: KeyLimits
}

/** Timers take no longer times. */
const longestTimer = 2 ** 31 - 1

export function createStreams(options: StreamsOptions): Streams {
  const { keys, keyLimits } = options
  const streams = new Set<Stream>()
  keys.watch((id) => {
    for (const stream of [...streams]) if (stream.keyId === id) recheck(stream)
  })
  return {
    open(key, transport) {
      const stream = createStream({ ...options, key, transport })
      const disconnect = keyLimits.openConnection(key)
      const expiry = key.expires === undefined ? undefined : checkAtExpiry(stream, key.expires)
      streams.add(stream)
      transport.socket.once('close', () => {
        clearTimeout(expiry)
        disconnect()
        streams.delete(stream)
        stream.close()
      })
      // The key may have been revoked since it was let in.
      recheck(stream)
      return stream
    },
    endAll(reason) {
      for (const stream of [...streams]) stream.end(reason)
    },
  }

  function recheck(stream: Stream): void {
    const key = keys.get(stream.keyId)
    if (!key) stream.end('key_revoked')
    else if (!stream.topics.every((topic) => mayRead(key, topic))) stream.end('permission_lost')
  }

  function checkAtExpiry(stream: Stream, expires: string): NodeJS.Timeout {
    return setTimeout(() => recheck(stream), Math.min(longestTimer, Date.parse(expires) - Date.now()))
  }
}
