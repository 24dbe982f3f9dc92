import { type Grant, mayRead } from '../access/grant.ts'
import type { KeyDirectory } from '../access/keys/key-directory.ts'
import type { Quotas } from '../access/limits/quotas.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import { createStream, type Stream, type StreamOptions } from './stream.ts'
import type { EndReason, Transport } from './transport.ts'

export interface Streams {
  /**
   * Opens a stream. It ends when the key no longer allows it, when the token expires, or at its maximal age.
   */
  open(grant: Grant, transport: Transport): Stream
  /** Ends those that are open, and those that open later. */
  endAll(reason: EndReason): void
}

export interface StreamsOptions extends Omit<StreamOptions, 'key' | 'transport' | 'meter' | 'checkKey'> {
  readonly keys: KeyDirectory
  readonly usage: UsageMeter
  readonly quotas: Quotas
  readonly signal: AbortSignal
  /** Called when the connection of a stream that the gateway has ended is closed. */
  countEnd(reason: EndReason): void
}

/** Between two looks whether open streams have used up their quotas, in ms. */
const quotaCheckMs = 1000
/** The highest delay of a Node.js timer, in ms. */
const longestTimer = 2 ** 31 - 1

export function createStreams(options: StreamsOptions): Streams {
  const { keys, usage, quotas, wholeUnits, limits, signal, log } = options
  const checks = new Map<Stream, () => void>()
  let ending: EndReason | undefined
  keys.watch((id) => {
    for (const [stream, check] of [...checks]) if (stream.keyId === id) check()
  })
  const quotaChecks = setInterval(checkQuotas, quotaCheckMs).unref()
  signal.addEventListener('abort', () => clearInterval(quotaChecks))
  return {
    open(grant, transport) {
      const { key } = grant
      const meter = usage.openStream(key.id, transport)
      const stream = createStream({ key, transport, meter, wholeUnits, limits, log, checkKey: () => check() })
      // Up to a tenth earlier, so that clients do not reconnect together.
      const age = setTimeout(() => stream.end('max_age'), limits.maxAgeMs * (1 - Math.random() / 10))
      let expiry: NodeJS.Timeout | undefined
      const check = () => {
        clearTimeout(expiry)
        const current = keys.get(key.id)
        if (!current) return stream.end('key_revoked')
        const left = (grant.expires ?? Number.POSITIVE_INFINITY) - Date.now()
        if (left <= 0) return stream.end('token_expired')
        if (!stream.topics.every((topic) => mayRead({ ...grant, key: current }, topic)))
          return stream.end('permission_lost')
        const leftOfKey = current.expires === undefined ? left : Date.parse(current.expires) - Date.now()
        if (Math.min(left, leftOfKey) < Number.POSITIVE_INFINITY)
          expiry = setTimeout(check, Math.min(longestTimer, left, leftOfKey))
      }
      checks.set(stream, check)
      transport.onClose(() => {
        clearTimeout(expiry)
        clearTimeout(age)
        meter.close()
        if (meter.endReason) options.countEnd(meter.endReason)
        checks.delete(stream)
        stream.close()
      })
      // The key may have been revoked since admission.
      check()
      // A request that was being admitted when the gateway began to stop.
      if (ending) stream.end(ending)
      return stream
    },
    endAll(reason) {
      ending = reason
      for (const stream of [...checks.keys()]) stream.end(reason)
    },
  }

  function checkQuotas(): void {
    const limited = [...checks.keys()].filter(({ keyId }) => keys.get(keyId)?.quota)
    if (limited.length === 0) return
    usage.settle()
    for (const stream of limited) {
      const key = keys.get(stream.keyId)
      if (key && quotas.areRecordsUsedUp(key)) stream.end('quota_exceeded')
    }
  }
}
