import type { PublishedMessage, PublishedUnit } from '../connector/published.ts'
import type { Schema } from '../connector/schema.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import type { ChooseUnit, UnitRange } from './chosen-units.ts'
import type { Report } from './finding.ts'
import { messageDifferences } from './message-differences.ts'
import type { StandingRecord } from './read-standing.ts'
import { showRecord } from './show-record.ts'
import type { KnownTopic } from './topics-to-verify.ts'
import type { UnitRecords } from './unit-records.ts'

/** What has been looked at. */
export interface LookedAt {
  units: number
  compared: number
}

export interface PublishedUnitsOptions {
  readonly topics: readonly KnownTopic[]
  /** Those of which nothing has been removed, at any moment. The others are left out. */
  readonly range: UnitRange
  readonly choose: ChooseUnit
  readonly lookedAt: LookedAt
  readonly report: Report
}

/** Makes units for a connector's `verify` of their records, and reports what is wrong with a record by itself. */
export async function* publishedUnits(
  units: AsyncIterable<UnitRecords<KnownTopic | undefined>>,
  options: PublishedUnitsOptions,
): AsyncGenerator<PublishedUnit<Schema>, void, undefined> {
  const writer = new MessageWriter()
  let held: UnitRecords<KnownTopic | undefined> | undefined
  let isFirst = true
  for await (const unit of units) {
    if (unit.partitions.every(({ of }) => !of)) continue
    if (held && held.unit >= options.range.first) {
      yield await publishedUnit(held, { isFirst, isLast: false, writer }, options)
      isFirst = false
    } else isFirst = true
    held = unit
  }
  if (held && held.unit >= options.range.first)
    yield await publishedUnit(held, { isFirst, isLast: true, writer }, options)
}

interface UnitContext {
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly writer: MessageWriter
}

async function publishedUnit(
  { unit, partitions }: UnitRecords<KnownTopic | undefined>,
  { isFirst, isLast, writer }: UnitContext,
  { topics, choose, lookedAt, report }: PublishedUnitsOptions,
): Promise<PublishedUnit<Schema>> {
  const shown = new Map<string, PublishedMessage[]>()
  const standing = new Map<string, StandingRecord[]>()
  let bytes = 0
  for (const { of: topic, records } of partitions) {
    if (!topic) continue
    const shownRecords = records.map((record) => showRecord(topic, record))
    for (const { finding } of shownRecords) if (finding) await report(finding)
    shown.set(topic.message, [...(shown.get(topic.message) ?? []), ...shownRecords.map((one) => one.shown)])
    standing.set(topic.message, [...(standing.get(topic.message) ?? []), ...records])
    for (const { record } of records) bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
  }
  lookedAt.units++
  return {
    unit,
    records: Object.fromEntries(shown),
    bytes,
    isFirst,
    compare: choose(unit, isLast),
    differences(messages) {
      lookedAt.compared++
      return topics.flatMap((topic) => {
        writer.reset()
        const [published, expected] = [standing.get(topic.message) ?? [], messages[topic.message] ?? []]
        return messageDifferences({ topic, unit, writer }, published, expected)
      })
    },
  }
}
