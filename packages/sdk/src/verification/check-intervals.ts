import { createDeadSeqs, type DeadInterval, type DeadSeqs, type SeqInterval } from '@headrace/catalog'
import type { Report, VerifyFinding } from './finding.ts'
import type { RevertedInterval } from './revert-order.ts'
import type { PartitionScan } from './scan-partition.ts'
import type { TopicToVerify } from './topics-to-verify.ts'

/**
 * Compares what is told to be dead in a partition with what its reverts say, and returns what is dead. Where records are
 * missing, what is told is accepted.
 */
export async function checkIntervals(
  { place, absent, later, reverted }: PartitionScan,
  toldOfAll: readonly DeadInterval[],
  report: Report,
): Promise<DeadSeqs> {
  const { topic, partition, lastUnit } = place
  const told = toldOfAll.filter((interval) => interval.topic === topic && interval.partition === partition)
  const byUnit = new Map(told.map((interval) => [interval.unit, interval]))
  const byFirst = new Map(told.map((interval) => [interval.first, interval]))
  const dead = createDeadSeqs()
  const matched = new Set<DeadInterval>()
  for (const interval of reverted) {
    const match = byUnit.get(interval.unit) ?? byFirst.get(interval.first)
    if (match) matched.add(match)
    dead.add(interval)
    const isSeen = !touches(interval, absent) && !(match && touches(match, absent))
    if (isSeen && !isTold(interval, match)) await report(wrong({ topic, partition }, interval, match))
  }
  for (const interval of told) {
    const isSeen = !touches(interval, absent)
    if (!isSeen) dead.add(interval)
    // A run that goes on has published it after what is looked at.
    const isLater = interval.unit > lastUnit || (later !== undefined && interval.last >= later.seq)
    if (!isSeen || isLater || matched.has(interval)) continue
    const found = { first: interval.first, last: interval.last }
    const message = `"_headrace.reorgs" tells that seqs ${found.first} to ${found.last} are dead, and nothing has taken them back.`
    await report({ code: 'dead_interval_unexpected', message, topic, partition, unit: interval.unit, found })
  }
  return dead
}

function touches({ first, last }: SeqInterval, absent: readonly SeqInterval[]): boolean {
  return absent.some((range) => range.first <= last && range.last >= first)
}

/** Reports what is told to be dead in partitions that are not there. */
export async function checkPlaces(
  told: readonly DeadInterval[],
  topics: readonly TopicToVerify[],
  report: Report,
): Promise<void> {
  const counts = new Map(topics.flatMap(({ partitions, count }) => partitions.map(({ topic }) => [topic, count])))
  for (const { topic, partition, unit, first, last } of told) {
    if (partition < (counts.get(topic) ?? Number.POSITIVE_INFINITY)) continue
    const message = `"_headrace.reorgs" tells that seqs ${first} to ${last} are dead, and there is no such partition.`
    await report({ code: 'dead_interval_unexpected', message, topic, partition, unit, found: { first, last } })
  }
}

/** A later one that begins with the same seq is wider, and has taken its place. */
function isTold({ first, last, unit }: RevertedInterval, match: DeadInterval | undefined): boolean {
  if (match?.first !== first) return false
  return match.last === last || (match.unit > unit && match.last > last)
}

function wrong(
  place: Pick<VerifyFinding, 'topic' | 'partition'>,
  { unit, first, last }: RevertedInterval,
  match: DeadInterval | undefined,
): VerifyFinding {
  const words = `Unit ${unit} has made seqs ${first} to ${last} dead`
  const expected = { first, last }
  if (!match) {
    const message = `${words}, and "_headrace.reorgs" does not tell.`
    return { code: 'dead_interval_missing', message, ...place, unit, expected }
  }
  const found = { first: match.first, last: match.last }
  const message = `${words}, and "_headrace.reorgs" tells of ${found.first} to ${found.last}.`
  return { code: 'dead_interval_wrong', message, ...place, unit, expected, found }
}
