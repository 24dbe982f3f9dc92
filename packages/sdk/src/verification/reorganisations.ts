import {
  createRevertedSeqs,
  type Reorganisation,
  type RevertedSeqs,
  readReorganisation,
  reorganisationsPartition,
  type SeqInterval,
  systemTopics,
} from '@headrace/catalog'
import { type QueueRecord, readRange, UserError } from '@headrace/queue'
import type { Audit } from './audit.ts'
import type { Report, VerifyFinding } from './finding.ts'
import type { PartitionToVerify } from './partitions-to-verify.ts'
import type { RevertedInterval } from './revert-order.ts'
import type { PartitionScan } from './scan-partition.ts'

/**
 * Compares `_headrace.reorgs` with the reverts of a partition, and returns the reverted seqs. Where records are missing,
 * the published interval is accepted.
 */
export async function checkIntervals(
  { place, published, absent, later, reverted }: PartitionScan,
  report: Report,
): Promise<RevertedSeqs> {
  const { topic, partition, lastUnit } = place
  const byUnit = new Map(published.map((interval) => [interval.unit, interval]))
  const byFirst = new Map(published.map((interval) => [interval.first, interval]))
  const seqs = createRevertedSeqs()
  const matched = new Set<Reorganisation>()
  for (const interval of reverted) {
    const match = byUnit.get(interval.unit) ?? byFirst.get(interval.first)
    if (match) matched.add(match)
    seqs.add(interval)
    const isSeen = !touches(interval, absent) && !(match && touches(match, absent))
    if (isSeen && !isPublished(interval, match)) await report(wrong({ topic, partition }, interval, match))
  }
  for (const interval of published) {
    const isSeen = !touches(interval, absent)
    if (!isSeen) seqs.add(interval)
    // A concurrent run has published it after the records that are verified.
    const isLater = interval.unit > lastUnit || (later !== undefined && interval.last >= later.seq)
    if (!isSeen || isLater || matched.has(interval)) continue
    const found = { first: interval.first, last: interval.last }
    const message = `"_headrace.reorgs" names seqs ${found.first} to ${found.last} as reverted, but no revert does.`
    await report({ code: 'dead_interval_unexpected', message, topic, partition, unit: interval.unit, found })
  }
  return seqs
}

function touches({ first, last }: SeqInterval, absent: readonly SeqInterval[]): boolean {
  return absent.some((range) => range.first <= last && range.last >= first)
}

export async function checkPlaces(
  published: readonly Reorganisation[],
  partitions: readonly PartitionToVerify[],
  report: Report,
): Promise<void> {
  const counts = new Map(partitions.map(({ topic, count }) => [topic, count]))
  for (const { topic, partition, unit, first, last } of published) {
    if (partition < (counts.get(topic) ?? Number.POSITIVE_INFINITY)) continue
    const message = `"_headrace.reorgs" names seqs ${first} to ${last} of a partition that does not exist as reverted.`
    await report({ code: 'dead_interval_unexpected', message, topic, partition, unit, found: { first, last } })
  }
}

/** A later, wider interval with the same first seq has replaced it. */
function isPublished({ first, last, unit }: RevertedInterval, match: Reorganisation | undefined): boolean {
  if (match?.first !== first) return false
  return match.last === last || (match.unit > unit && match.last > last)
}

function wrong(
  place: Pick<VerifyFinding, 'topic' | 'partition'>,
  { unit, first, last }: RevertedInterval,
  match: Reorganisation | undefined,
): VerifyFinding {
  const reverted = `Unit ${unit} has reverted seqs ${first} to ${last}`
  const expected = { first, last }
  if (!match) {
    const message = `${reverted}, but "_headrace.reorgs" does not name them.`
    return { code: 'dead_interval_missing', message, ...place, unit, expected }
  }
  const found = { first: match.first, last: match.last }
  const message = `${reverted}, but "_headrace.reorgs" names ${found.first} to ${found.last}.`
  return { code: 'dead_interval_wrong', message, ...place, unit, expected, found }
}

/**
 * Reads the reverted intervals of a writer, and of others in the same partition: the newest of each key. Undecodable ones,
 * and those with another key, are reported and left out.
 */
export async function readReorganisations(
  { queue, writerId, signal, report }: Audit,
  topics: ReadonlySet<string>,
): Promise<readonly Reorganisation[]> {
  const place = { topic: systemTopics.reorgs, partition: reorganisationsPartition(writerId) }
  const [description] = await queue.describe([place.topic])
  const from = description?.partitions[place.partition]?.earliest
  if (from === undefined) return []
  const to = await queue.highWatermark(place.topic, place.partition)
  const newest = new Map<string, Reorganisation>()
  const unreadable = new Map<string, bigint>()
  for await (const batch of readRange(queue, { ...place, from, to }, { signal, onRemoved() {} })) {
    for (const record of batch.records()) {
      const key = Buffer.from(record.key ?? []).toString()
      newest.delete(key)
      const interval = readInterval(record)
      if (interval && key === keyOf(interval)) newest.set(key, interval)
      else if (interval !== undefined) unreadable.set(key, record.offset)
      if (interval === undefined || newest.has(key)) unreadable.delete(key)
    }
  }
  for (const [key, offset] of unreadable) {
    const topic = key.replace(/(\/\d+){2}$/, '')
    if (!topics.has(topic)) continue
    const message = `The interval "${key}" of "${place.topic}" cannot be decoded, or has the key of another one.`
    const partition = Number(key.split('/').at(-2))
    await report({ code: 'dead_interval_unreadable', message, topic, partition, offset: `${offset}` })
  }
  return [...newest.values()]
}

function keyOf({ topic, partition, first }: Reorganisation): string {
  return `${topic}/${partition}/${first}`
}

/** `null` where it cannot be decoded, `undefined` for a tombstone. */
function readInterval(record: QueueRecord): Reorganisation | null | undefined {
  try {
    return readReorganisation(record)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}
