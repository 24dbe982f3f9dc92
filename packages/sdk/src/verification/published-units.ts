import { checkpointRingSize } from '@headrace/catalog'
import type { PublishedMessage, PublishedUnit } from '../connector/published.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import type { Audit } from './audit.ts'
import type { ChooseUnit } from './chosen-units.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import { type KnownTopic, messageTime } from './partitions-to-verify.ts'
import type { CanonicalRecord, UnitRecords } from './read-canonical.ts'
import { messageDifferences, recordFinding, showRecord } from './record-findings.ts'

export interface PublishedUnitsOptions {
  readonly topics: readonly KnownTopic[]
  readonly choose: ChooseUnit
  readonly counts: { units: number; compared: number }
}

/** Yields the whole units with records of known topics. */
export async function* publishedUnits(
  { stored, whole, report }: Audit,
  units: AsyncIterable<UnitRecords>,
  { topics, choose, counts }: PublishedUnitsOptions,
): AsyncGenerator<PublishedUnit, void, undefined> {
  const writer = new MessageWriter()
  const since = publishedSince(topics, stored.namedFrom)
  const checkTimes = createUnitTimeCheck()
  let held: UnitRecords | undefined
  let previous: number | undefined

  async function show(gathered: UnitRecords, isLast: boolean): Promise<PublishedUnit | undefined> {
    const { unit, partitions } = gathered
    const shown = new Map<string, PublishedMessage[]>()
    let bytes = 0
    for (const { topic, records } of partitions) {
      if (!topic) continue
      if (!since.has(topic.message)) since.set(topic.message, unit)
      const messages = shown.get(topic.message) ?? []
      shown.set(topic.message, messages)
      for (const canonical of records) {
        const { key, value } = canonical.record
        bytes += (key?.length ?? 0) + (value?.length ?? 0)
        const message = showRecord(topic, canonical)
        messages.push(message)
        const finding = recordFinding(topic, canonical, message)
        if (finding) await report(finding)
      }
    }
    for (const finding of checkTimes(gathered)) await report(finding)
    if (!whole.has(unit, unit)) return undefined
    const isFirst = previous === undefined || !whole.has(previous, unit)
    previous = unit
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
          const found = partitions.flatMap((one) => (one.topic === topic ? one.records : []))
          return messageDifferences({ topic, unit, writer }, found, messages[topic.message] ?? [])
        })
      },
    }
  }

  for await (const unit of units) {
    if (unit.partitions.every(({ topic }) => !topic)) continue
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
function publishedSince(topics: readonly KnownTopic[], namedFrom: ReadonlyMap<string, number>): Map<string, number> {
  const oldest = Math.min(...namedFrom.values())
  return new Map(
    topics.flatMap(({ topic, message }) => {
      const first = namedFrom.get(topic)
      return first === undefined || (first === oldest && first > 1) ? [] : [[message, first]]
    }),
  )
}

/**
 * A record may be earlier than a message with a time in the future. It was not in the future if a record of this or an
 * earlier unit has a later time by its own message.
 */
function createUnitTimeCheck(): (unit: UnitRecords) => VerifyFinding[] {
  let publishedAfter = 0
  return ({ unit, partitions }) => {
    const earlier: { readonly canonical: CanonicalRecord; readonly expected: number }[] = []
    for (const { topic, records } of partitions) {
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
