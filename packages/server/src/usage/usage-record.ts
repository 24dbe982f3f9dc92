import type { QueueRecord } from '@headrace/queue'
import type { UsageCounts } from './usage-counts.ts'

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
