import type { RetentionPolicy } from '@headrace/queue'

/** Parses `forever`, a time such as `30d`, or a size such as `10GiB`. */
export function parseRetention(retention: string): RetentionPolicy {
  const [, count, unit] = /^(\d+)(\w+)$/.exec(retention) ?? []
  const [ms, bytes] = [unitMs[unit!], unitBytes[unit!]]
  if (ms !== undefined) return { maxAgeMs: Number(count) * ms }
  return bytes === undefined ? {} : { maxBytes: Number(count) * bytes }
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const unitBytes: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }
