import type { Socket } from 'node:net'
import type { EndReason, Transport } from '../feed/transport.ts'
import { monthOf } from './month.ts'
import { noUsage, sumUsage, type UsageCounts } from './usage-record.ts'

/** Counts usage by key in the current hour, and by protocol since the gateway started. */
export interface UsageMeter {
  /** The counts of a key in the current hour. The caller increments them. */
  of(keyId: string): UsageCounts
  /** Includes open streams up to the last `settle`. */
  readonly sent: Readonly<Record<Protocol, SentCounts>>
  /** Counts the bytes sent since the last call. On the socket of an open stream, they count for the stream instead. */
  countResponse(socket: Socket, keyId: string | undefined): void
  countRecords(keyId: string, records: number): void
  openStream(keyId: string, transport: Pick<Transport, 'protocol' | 'socket'>): StreamMeter
  streams(): Iterable<Readonly<StreamMeter>>
  settle(): void
  keys(): Iterable<readonly [keyId: string, used: Readonly<UsageCounts>]>
  /** The counts of a key in the current month. Includes open streams up to the last `settle`. */
  inMonth(keyId: string): Readonly<UsageCounts>
  /** Begins an hour, in ms since the Unix epoch: the counts of each key are 0 again. */
  beginHour(hour: number): void
}

export type Protocol = 'rest' | Transport['protocol']

export type SentCounts = Pick<UsageCounts, 'records' | 'bytes'>

/** Counts for one stream. Sending a record only increments `records`. */
export interface StreamMeter extends Pick<Transport, 'protocol' | 'socket'> {
  records: number
  endReason: EndReason | undefined
  close(): void
}

/** @param clock - Monotonic, in ms. */
export function createUsageMeter(clock: () => number = () => performance.now()): UsageMeter {
  const used = new Map<string, UsageCounts>()
  /** In hours of the current month before the current hour. */
  const earlier = new Map<string, UsageCounts>()
  let month = monthOf(Date.now())
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
    inMonth(keyId) {
      const counts = used.get(keyId) ?? noUsage()
      const before = earlier.get(keyId)
      return before ? sumUsage([before, counts]) : counts
    },
    beginHour(hour) {
      for (const [keyId, counts] of used) earlier.set(keyId, sumUsage([earlier.get(keyId) ?? noUsage(), counts]))
      used.clear()
      if (hour < month.end) return
      month = monthOf(hour)
      earlier.clear()
    },
  }

  function of(keyId: string): UsageCounts {
    const known = used.get(keyId)
    if (known) return known
    const counts = noUsage()
    used.set(keyId, counts)
    return counts
  }

  function newBytes(socket: Socket): number {
    // A request of this gateway to itself has no real socket.
    const bytes = socket.bytesWritten ?? 0
    const counted = countedBytes.get(socket) ?? 0
    countedBytes.set(socket, bytes)
    return bytes - counted
  }
}
