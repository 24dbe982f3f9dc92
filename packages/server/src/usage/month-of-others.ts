import { setTimeout as delay } from 'node:timers/promises'
import { systemTopics } from '@headrace/catalog'
import { type PartitionOffset, PositionLostError, type Queue, type QueueRecord, readRange } from '@headrace/queue'
import type { Logger } from 'pino'
import { type Month, monthOf } from './month.ts'
import { clockSkewMs, decodeUsage, type UsageCounts } from './usage-record.ts'

/** What is limited by quotas. */
export type MonthCounts = Pick<UsageCounts, 'requests' | 'records' | 'bytes'>

/** The usage of keys at other gateways in the current month, as they have written it. */
export interface MonthOfOthers {
  /**
   * A promise at the first call for a key: then the usage of the month is read. Later changes are followed.
   *
   * @throws The errors of the queue, if it cannot be read. The next call tries again.
   */
  of(keyId: string): MonthCounts | Promise<MonthCounts>
}

export interface MonthOfOthersOptions {
  readonly queue: Queue
  /** The id under which this gateway writes its own usage. */
  readonly gateway: string
  readonly log: Logger
  readonly signal: AbortSignal
}

/** The hours of a gateway come in order, so the earlier ones need no records. */
interface GatewayMonth {
  readonly month: Month
  hour: number
  /** Of hours before `hour`. */
  readonly earlier: MonthCounts
  counts: MonthCounts
}

const retryMs = 1000
const none: MonthCounts = { requests: 0, records: 0, bytes: 0 }

export function followMonthOfOthers({ queue, gateway, log, signal }: MonthOfOthersOptions): MonthOfOthers {
  /** Key → gateway → counts. Keys whose usage is not asked for have none. */
  const keys = new Map<string, Map<string, GatewayMonth>>()
  const wanted = new Set<string>()
  let reading: Promise<void> | undefined
  let following: AbortController | undefined
  return {
    of(keyId) {
      const known = keys.get(keyId)
      return known ? sum(known) : readKey(keyId)
    },
  }

  async function readKey(keyId: string): Promise<MonthCounts> {
    while (!keys.has(keyId)) {
      wanted.add(keyId)
      // A read that has begun may have passed records of this key.
      const earlier = reading
      if (earlier) await earlier.catch(() => undefined)
      else {
        reading = readMonth().finally(() => {
          reading = undefined
        })
        await reading
      }
    }
    return sum(keys.get(keyId)!)
  }

  /** Reads the month again for all keys, and then follows it. */
  async function readMonth(): Promise<void> {
    const read = new Map([...keys.keys(), ...wanted].map((keyId) => [keyId, new Map<string, GatewayMonth>()]))
    wanted.clear()
    const from = await queue.offsetForTime(systemTopics.usage, 0, monthOf(Date.now()).start - clockSkewMs)
    const to = await queue.highWatermark(systemTopics.usage, 0)
    const place = { topic: systemTopics.usage, partition: 0 }
    if (from !== undefined && from < to)
      for await (const batch of readRange(queue, { ...place, from, to }))
        for (const record of batch.records()) apply(record, read)
    for (const [keyId, months] of read) keys.set(keyId, months)
    following?.abort()
    following = new AbortController()
    void follow({ ...place, offset: to }, AbortSignal.any([signal, following.signal]))
  }

  async function follow(start: PartitionOffset, until: AbortSignal): Promise<void> {
    let place = start
    while (!until.aborted) {
      try {
        for await (const batch of queue.follow([place], { signal: until })) {
          for (const record of batch.records()) apply(record, keys)
          place = { ...place, offset: batch.nextOffset }
        }
      } catch (error) {
        if (until.aborted) return
        log.warn({ topic: place.topic, err: error }, 'usage of other gateways cannot be followed, trying again')
        // The next call for a key reads the month again.
        if (error instanceof PositionLostError) return keys.clear()
        await delay(retryMs, undefined, { signal: until }).catch(() => undefined)
      }
    }
  }

  function apply(record: QueueRecord, of: Map<string, Map<string, GatewayMonth>>): void {
    const found = decodeUsage(record)
    const months = found && of.get(found.key.keyId)
    if (!months || found.key.gateway === gateway) return
    const { hour } = found.key
    const known = months.get(found.key.gateway)
    if (known && hour < known.hour) return
    if (!known || hour >= known.month.end) {
      const counts = { month: monthOf(hour), hour, earlier: none, counts: found.used }
      months.set(found.key.gateway, counts)
    } else {
      const earlier = hour > known.hour ? add(known.earlier, known.counts) : known.earlier
      months.set(found.key.gateway, { ...known, hour, earlier, counts: found.used })
    }
  }
}

function sum(months: ReadonlyMap<string, GatewayMonth>): MonthCounts {
  const now = Date.now()
  let total = none
  for (const { month, earlier, counts } of months.values())
    if (now >= month.start && now < month.end) total = add(add(total, earlier), counts)
  return total
}

function add(a: MonthCounts, b: MonthCounts): MonthCounts {
  return { requests: a.requests + b.requests, records: a.records + b.records, bytes: a.bytes + b.bytes }
}
