import {
  createSkips,
  type PartitionPlace,
  type RecordOrder,
  type RecordRenderer,
  readRecordHeaders,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import { type Command, Option } from 'commander'
import type { CanonicalView } from './canonical-view.ts'
import type { OpenTopic } from './open-topic.ts'

export interface SelectionOptions {
  readonly filter?: string
  readonly fields?: string
}

export function addSelectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--filter <expression>', 'only records for which this is true, e.g. \'value.From == "0xab…"\' (CEL)'),
    )
    .addOption(new Option('--fields <names>', 'only these fields of the value, separated by commas'))
}

export interface SelectedRecords {
  readonly records: readonly QueueRecord[]
  /** With a filter or fields: for each record, how many were left out before it. */
  readonly skipped: ReadonlyMap<QueueRecord, number>
}

export interface RecordSelector {
  readonly renderer: RecordRenderer
  /** The records of the view that the filter includes. Must be called with all records in order. */
  select(records: readonly QueueRecord[]): Promise<SelectedRecords>
}

export interface SelectorOptions extends SelectionOptions {
  readonly order: RecordOrder
  readonly start: readonly PartitionPlace[]
  readonly canonical: Pick<CanonicalView, 'shows'> | undefined
}

/** @throws {UserError} `invalid_filter`, `invalid_fields` */
export function createRecordSelector(topic: OpenTopic, options: SelectorOptions): RecordSelector {
  const { filter: text, fields, order, start, canonical } = options
  const { format } = topic
  const filter = text === undefined ? undefined : format.createFilterCompiler().compile(text)
  const names = fields === undefined ? undefined : format.parseFields(fields)
  const renderer = format.createRenderer(names && { fields: names })
  const skips = filter || names ? createSkips({ start, order, counts: !canonical }) : undefined
  return {
    renderer,
    async select(records) {
      await format.prepare?.(records)
      const skipped = new Map<QueueRecord, number>()
      const selected = records.filter((record) => {
        if (canonical && !canonical.shows(record)) return false
        const { partition, offset, headers } = record
        const place = { partition, offset, seq: readRecordHeaders(headers).seq ?? null }
        if (filter && !filter.matches(record)) {
          skips!.leaveOut(place)
          return false
        }
        const before = skips?.take(place)
        if (before !== undefined) skipped.set(record, before)
        return true
      })
      return { records: selected, skipped }
    },
  }
}
