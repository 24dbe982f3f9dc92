import type { QueueRecord } from '@headrace/queue'

/** Key of a record in `_headrace.usage`, which is compacted. */
export interface UsageKey {
  readonly keyId: string
  readonly hour: number
  readonly gateway: string
}

export const hourMs = 3_600_000

/** Maximum difference between the clocks of gateways. A record may be older by this much than the one before it. */
export const clockSkewMs = 600_000

export function hourOf(time: number): number {
  return time - (time % hourMs)
}

export function formatHour(hour: number): string {
  return new Date(hour).toISOString().replace('.000', '')
}

export function encodeUsageKey({ keyId, hour, gateway }: UsageKey): Uint8Array {
  return Buffer.from(`${keyId}/${formatHour(hour)}/${gateway}`)
}

export function encodeUsage(counts: Readonly<UsageCounts>): Uint8Array {
  return Buffer.from(JSON.stringify({ ...counts, connectionSeconds: Math.round(counts.connectionSeconds) }))
}

export function decodeUsage(record: QueueRecord): { readonly key: UsageKey; readonly used: UsageCounts } | undefined {
  const { key, value } = record
  if (!key || !value) return undefined
  const [keyId = '', hour = '', gateway = ''] = Buffer.from(key).toString().split('/')
  try {
    return { key: { keyId, hour: Date.parse(hour), gateway }, used: JSON.parse(Buffer.from(value).toString()) }
  } catch {
    return undefined
  }
}

export interface UsageCounts {
  /** REST requests, opened streams and WebSocket calls within the limits. */
  requests: number
  /** Because of a limit of the key or its origins. */
  refused: number
  /** Counted once for each connection. */
  records: number
  /** With HTTP headers and WebSocket frames, without TLS. */
  bytes: number
  /** Of WebSocket and SSE, in total. */
  connectionSeconds: number
}

export function noUsage(): UsageCounts {
  return { requests: 0, refused: 0, records: 0, bytes: 0, connectionSeconds: 0 }
}

export function sumUsage(parts: readonly Readonly<UsageCounts>[]): UsageCounts {
  const sum = noUsage()
  const names = Object.keys(sum) as (keyof UsageCounts)[]
  for (const part of parts) for (const name of names) sum[name] += part[name]
  return sum
}
