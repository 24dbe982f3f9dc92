import { checkpointRingSize } from '@headrace/catalog'
import type { PublishedMessage, PublishedUnit } from '../connector/published.ts'
import type { Schema } from '../connector/schema.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import type { ChooseUnit } from './chosen-units.ts'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { messageDifferences } from './message-differences.ts'
import type { CanonicalRecord, UnitRecords } from './read-canonical.ts'
import { showRecord } from './show-record.ts'
import type { StoredCheckpoints } from './stored-checkpoints.ts'
import { messageTime } from './time-check.ts'
import type { KnownTopic } from './topics-to-verify.ts'
import type { WholeUnits } from './whole-units.ts'

export interface AuditCounts {
  units: number
  compared: number
}

export interface PublishedUnitsOptions {
  readonly topics: readonly KnownTopic[]
  readonly stored: StoredCheckpoints
  /** May lose units at any time. */
  readonly whole: WholeUnits
  readonly choose: ChooseUnit
  readonly counts: AuditCounts
  readonly report: Report
}

type GatheredUnit = UnitRecords<KnownTopic | undefined>

export async function* publishedUnits(
  units: AsyncIterable<GatheredUnit>,
  options: PublishedUnitsOptions,
): AsyncGenerator<PublishedUnit<Schema>, void, undefined> {
  const { whole, report } = options
  const writer = new MessageWriter()
  const since = publishedSince(options)
  const checkTimes = createUnitTimeCheck()
  let held: GatheredUnit | undefined
  let previous: number | undefined

  async function show(gathered: GatheredUnit, isLast: boolean): Promise<PublishedUnit<Schema> | undefined> {
    const { unit, partitions } = gathered
    const shown = new Map<string, PublishedMessage[]>()
    const canonical = new Map<string, CanonicalRecord[]>()
    let bytes = 0
    for (const { of: topic, records } of partitions) {
      if (!topic) continue
      if (!since.has(topic.message)) since.set(topic.message, unit)
      const shownRecords = records.map((record) => showRecord(topic, record))
      for (const { finding } of shownRecords) if (finding) await report(finding)
      shown.set(topic.message, [...(shown.get(topic.message) ?? []), ...shownRecords.map((one) => one.shown)])
      canonical.set(topic.message, [...(canonical.get(topic.message) ?? []), ...records])
      for (const { record } of records) bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
    }
    for (const finding of checkTimes(gathered)) await report(finding)
    if (!whole.has(unit, unit)) return undefined
    const isFirst = previous === undefined || !whole.has(previous, unit)
    previous = unit
    const { topics, stored, choose, counts } = options
    const published = topics.filter(({ message }) => unit >= (since.get(message) ?? Number.POSITIVE_INFINITY))
    const kept = stored.ring.get(unit % checkpointRingSize)?.checkpoint
    counts.units++
    return {
      unit,
      records: Object.fromEntries(shown),
      topics: Object.fromEntries(published.map(({ message, topic }) => [message, topic])),
      ...(kept?.unit === unit && { checkpoint: kept.position }),
      bytes,
      isFirst,
      compare: choose(unit, isLast),
      differences(messages) {
        counts.compared++
        return published.flatMap((topic) => {
          writer.reset()
          const [found, expected] = [canonical.get(topic.message) ?? [], messages[topic.message] ?? []]
          return messageDifferences({ topic, unit, writer }, found, expected)
        })
      },
    }
  }

  for await (const unit of units) {
    if (unit.partitions.every(({ of }) => !of)) continue
    const shown = held && (await show(held, false))
    if (shown) yield shown
    held = unit
  }
  const shown = held && (await show(held, true))
  if (shown) yield shown
}

/**
 * Message → the first unit whose checkpoint names its topic. Of a topic older than the ring: its first unit with a
 * record.
 */
function publishedSince({ topics, stored }: PublishedUnitsOptions): Map<string, number> {
  const oldest = Math.min(...stored.namedFrom.values())
  return new Map(
    topics.flatMap(({ topic, message }) => {
      const first = stored.namedFrom.get(topic)
      return first === undefined || (first === oldest && first > 1) ? [] : [[message, first]]
    }),
  )
}

/**
 * A record may be earlier than a message with a time in the future. It was not in the future if a record of this or an
 * earlier unit has a later time by its own message.
 */
function createUnitTimeCheck(): (unit: GatheredUnit) => VerifyFinding[] {
  let publishedAfter = 0
  return ({ unit, partitions }) => {
    const earlier: { readonly canonical: CanonicalRecord; readonly expected: number }[] = []
    for (const { of: topic, records } of partitions) {
      for (const canonical of records) {
        const { time, value } = canonical.record
        // Reported already.
        if (time < canonical.previousTime) continue
        const expected = messageTime(topic, unit, value)
        if (expected === time) publishedAfter = Math.max(publishedAfter, time)
        else if (expected !== undefined && time < expected) earlier.push({ canonical, expected })
      }
    }
    return earlier
      .filter(({ canonical, expected }) => Math.min(expected, publishedAfter) > canonical.record.time)
      .map(({ canonical: { record, seq }, expected }) => ({
        code: 'time_wrong',
        message: 'The record is earlier than its message.',
        ...placeOf(record, { seq, unit }),
        expected: new Date(expected).toISOString(),
        found: new Date(record.time).toISOString(),
      }))
  }
}
