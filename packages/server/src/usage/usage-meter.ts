import type { Socket } from 'node:net'
import type { EndReason, Transport } from '../feed/transport.ts'
import { noUsage, type UsageCounts } from './usage-record.ts'

/** Counts what clients use: by key in this hour, and by protocol since the gateway began. */
export interface UsageMeter {
  /** What a key has used in this hour, to be added to. */
  of(keyId: string): UsageCounts
  /** What each protocol has sent, open streams up to when they were last settled. */
  readonly sent: Readonly<Record<Protocol, SentCounts>>
  /**
   * Counts what has left on a connection since it was last looked at: for a key, where one was let in. What leaves on that
   * of an open stream counts for the stream.
   */
  countResponse(socket: Socket, keyId: string | undefined): void
  countRecords(keyId: string, records: number): void
  /** Counts a stream until it is closed. */
  openStream(keyId: string, transport: Pick<Transport, 'protocol' | 'socket'>): StreamMeter
  /** The streams that are open. */
  streams(): Iterable<Readonly<StreamMeter>>
  /** Brings in what the open streams have used up to now. */
  settle(): void
  /** What each key has used in this hour. */
  keys(): Iterable<readonly [keyId: string, used: Readonly<UsageCounts>]>
  /** Begins another hour. */
  clear(): void
}

export type Protocol = 'rest' | Transport['protocol']

export interface SentCounts {
  records: number
  bytes: number
}

/** What one stream uses. Records that are sent add to a number here, and nothing else is done for them. */
export interface StreamMeter extends Pick<Transport, 'protocol' | 'socket'> {
  /** Records sent since it was last settled. */
  records: number
  /** Why the gateway has ended it; `undefined`: it has not. */
  endReason: EndReason | undefined
  close(): void
}

/** @param clock - A monotonic one, in ms. */
export function createUsageMeter(clock: () => number = () => performance.now()): UsageMeter {
  const used = new Map<string, UsageCounts>()
  const settleStream = new Map<StreamMeter, () => void>()
  const streamSockets = new Set<Socket>()
  const countedBytes = new WeakMap<Socket, number>()
  const sent = { rest: { records: 0, bytes: 0 }, websocket: { records: 0, bytes: 0 }, sse: { records: 0, bytes: 0 } }

  return {
    of,
    sent,
    countResponse(socket, keyId) {
      if (streamSockets.has(socket)) return
      const bytes = newBytes(socket)
      sent.rest.bytes += bytes
      if (keyId !== undefined) of(keyId).bytes += bytes
    },
    countRecords(keyId, records) {
      sent.rest.records += records
      of(keyId).records += records
    },
    openStream(keyId, { protocol, socket }) {
      let settledAt = clock()
      const settle = () => {
        const [now, bytes, key] = [clock(), newBytes(socket), of(keyId)]
        key.connectionSeconds += (now - settledAt) / 1000
        key.records += stream.records
        key.bytes += bytes
        sent[protocol].records += stream.records
        sent[protocol].bytes += bytes
        stream.records = 0
        settledAt = now
      }
      const stream: StreamMeter = {
        protocol,
        socket,
        records: 0,
        endReason: undefined,
        close() {
          settle()
          settleStream.delete(stream)
          streamSockets.delete(socket)
        },
      }
      settleStream.set(stream, settle)
      streamSockets.add(socket)
      return stream
    },
    streams: () => settleStream.keys(),
    settle() {
      for (const settle of settleStream.values()) settle()
    },
    keys: () => used,
    clear: () => used.clear(),
  }

  function of(keyId: string): UsageCounts {
    const known = used.get(keyId)
    if (known) return known
    const counts = noUsage()
    used.set(keyId, counts)
    return counts
  }

  function newBytes(socket: Socket): number {
    const bytes = socket.bytesWritten
    const counted = countedBytes.get(socket) ?? 0
    countedBytes.set(socket, bytes)
    return bytes - counted
  }
}
