import type { RetentionPolicy } from '@headrace/queue'

/** What a manifest's `retention` lets go: `forever`, a time such as `30d`, or a size such as `10GiB`. */
export function retentionPolicy(retention: string): RetentionPolicy {
  if (retention === 'forever') return {}
  const [, count, unit] = /^(\d+)(\w+)$/.exec(retention)!
  const factor = unitMs[unit!]
  return factor === undefined ? { maxBytes: Number(count) * unitBytes[unit!]! } : { maxAgeMs: Number(count) * factor }
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const unitBytes: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }
