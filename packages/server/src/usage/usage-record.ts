import type { QueueRecord } from '@headrace/queue'

/** Whose use a record of `_headrace.usage` holds. A later record of the same stands for an earlier one. */
export interface UsageKey {
  readonly keyId: string
  /** Beginning of the hour, in ms since the Unix epoch. */
  readonly hour: number
  /** The gateway process that counted it. */
  readonly gateway: string
}

export const hourMs = 3_600_000

/** Beginning of the hour of a time, both in ms since the Unix epoch. */
export function hourOf(time: number): number {
  return time - (time % hourMs)
}

/** The hour as it is told and stored, e.g. `2026-08-21T10:00:00Z`. */
export function formatHour(hour: number): string {
  return new Date(hour).toISOString().replace('.000', '')
}

export function encodeUsageKey({ keyId, hour, gateway }: UsageKey): Uint8Array {
  return Buffer.from(`${keyId}/${formatHour(hour)}/${gateway}`)
}

export function encodeUsage(counts: Readonly<UsageCounts>): Uint8Array {
  // Fractions of a second are of no use to anybody.
  return Buffer.from(JSON.stringify({ ...counts, connectionSeconds: Math.round(counts.connectionSeconds) }))
}

/** `undefined` for what is no record of use. */
export function decodeUsage(record: QueueRecord): { readonly key: UsageKey; readonly used: UsageCounts } | undefined {
  const { key, value } = record
  if (!key || !value) return undefined
  const [keyId = '', hour = '', gateway = ''] = textOf(key).split('/')
  try {
    return { key: { keyId, hour: Date.parse(hour), gateway }, used: JSON.parse(textOf(value)) as UsageCounts }
  } catch {
    return undefined
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** What a key has used in some time: what an operator charges for, or looks at before raising a limit. */
export interface UsageCounts {
  /** REST requests, openings of streams and calls over a WebSocket that were within the key's limits. */
  requests: number
  /** The same where they were turned away: over a limit of the key, or from an origin that is not its own. */
  refused: number
  /** Records sent, in all protocols. One that several connections read counts for each. */
  records: number
  /** Bytes sent, with the headers and frames of the protocols, without those of TLS. */
  bytes: number
  /** Time that WebSocket and SSE connections were open, all added up. */
  connectionSeconds: number
}

export function noUsage(): UsageCounts {
  return { requests: 0, refused: 0, records: 0, bytes: 0, connectionSeconds: 0 }
}

/** What several parts come to together. */
export function sumUsage(parts: readonly Readonly<UsageCounts>[]): UsageCounts {
  const sum = noUsage()
  for (const part of parts) {
    sum.requests += part.requests
    sum.refused += part.refused
    sum.records += part.records
    sum.bytes += part.bytes
    sum.connectionSeconds += part.connectionSeconds
  }
  return sum
}
