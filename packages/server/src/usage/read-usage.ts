import { systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readTopic } from '../topics/read-topic.ts'
import { clockSkewMs, decodeUsage, formatHour, hourOf, sumUsage, type UsageCounts } from './usage-record.ts'

export interface UsageRange {
  /** Ms since the Unix epoch, rounded down to an hour. */
  readonly from: number
  /** Ms since the Unix epoch. Hours that begin at this time or later are not included. */
  readonly to: number
  /** Default: all keys. */
  readonly key?: string
}

/** The usage of a key in one hour, summed over all gateways. */
export interface HourlyUsage extends Readonly<UsageCounts> {
  readonly key: string
  /** Start of the hour, RFC 3339. */
  readonly hour: string
}

/**
 * Returns usage in order of key and hour. Gateways write their counts every 10 s, so the newest may be missing. Reads
 * every usage record since `from`.
 */
export async function readUsage(queue: Queue, { from, to, key }: UsageRange): Promise<HourlyUsage[]> {
  const [first, prefix] = [hourOf(from), key === undefined ? undefined : Buffer.from(`${key}/`)]
  const start = await queue.offsetForTime(systemTopics.usage, 0, Math.max(0, first - clockSkewMs))
  if (start === undefined) return []
  const counted = new Map<string, HourlyUsage>()
  for await (const batch of readTopic(queue, systemTopics.usage, start)) {
    for (const record of batch.records()) {
      if (prefix && !(record.key && prefix.equals(record.key.subarray(0, prefix.length)))) continue
      const found = decodeUsage(record)
      if (!found) continue
      const { keyId, hour, gateway } = found.key
      if (hour >= first && hour < to)
        counted.set(`${keyId}/${hour}/${gateway}`, { key: keyId, hour: formatHour(hour), ...found.used })
    }
  }
  const byHour = Map.groupBy(counted.values(), ({ key, hour }) => `${key}/${hour}`)
  return [...byHour]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, parts]) => ({ key: parts[0]!.key, hour: parts[0]!.hour, ...sumUsage(parts) }))
}
