import { UserError } from '@headrace/queue'
import type { Destination, SinkBatch, SinkContext, SinkRecord } from '../destination/destination.ts'
import { takenOver } from '../errors.ts'
import type { TopicField } from '../field/topic-fields.ts'
import { type Column, recordColumns } from './columns.ts'
import { copyText } from './copy-text.ts'
import type { Database } from './database.ts'
import { createKeyedRows } from './keyed-rows.ts'
import type { PostgresSinkOptions } from './options.ts'
import { prepareTables, quote, sinksTable, type Table } from './tables.ts'

export function createPostgresDestination(
  database: Database,
  context: SinkContext,
  options: PostgresSinkOptions,
): Destination {
  const { name: sink, log } = context
  const { schema = 'public', onBadValue = 'stop' } = options
  let tables = new Map<string, Table>()
  const keyedRows = createKeyedRows({ database, sink, schema, copy })

  return {
    async prepare() {
      tables = await prepareTables(database, context, options)
    },
    readCursor: async (topic) => tables.get(topic)!.cursor ?? undefined,
    async apply(batch) {
      const table = tables.get(batch.topic)!
      await database.transaction(async () => {
        await moveCursor(table, batch)
        if (table.primaryKey === 'key') return keyedRows.apply(table, batch.records)
        // A revert comes after its record, so all rows are inserted first.
        await copy(table.name, table.columns, batch.records.filter(isAppend))
        await remove(table, batch.records)
      })
      table.cursor = batch.cursor
    },
    close: () => database.close(),
  }

  /** Locks the row, so that a run that was taken over cannot write. */
  async function moveCursor({ topic, cursor: before }: Table, { cursor }: SinkBatch): Promise<void> {
    const moved = await database.query(
      `update ${sinksTable(schema)} set cursor = $3, applied_at = now()
       where sink = $1 and topic = $2 and cursor is not distinct from $4 returning 1`,
      [sink, topic, cursor, before],
    )
    if (moved.length === 0) throw takenOver(sink)
  }

  async function copy(name: string, columns: readonly Column[], records: readonly SinkRecord[]): Promise<void> {
    if (records.length === 0) return
    const names = [...recordColumns, ...columns].map((column) => quote(column.name)).join(', ')
    await database.copy(`copy ${name} (${names}) from stdin`, copyText(records, { columns, onBadValue: badValue }))
  }

  async function remove({ name }: Table, records: SinkBatch['records']): Promise<void> {
    const reverts = records.filter((record) => record.op === 'revert')
    if (reverts.length === 0) return
    await database.query(
      `delete from ${name} using unnest($1::int[], $2::bigint[]) as reverted (partition, seq)
       where _partition = reverted.partition and _seq = reverted.seq`,
      [reverts.map(({ partition }) => partition), reverts.map(({ reverts: seq }) => seq)],
    )
  }

  function badValue({ topic, partition, seq, offset }: SinkRecord, field: TopicField | undefined): void {
    const place = seq === null ? `offset ${offset}` : `seq ${seq}`
    const what = `${field ? `field "${field.name}"` : 'the value'} of ${place} in partition ${partition} of "${topic}"`
    if (onBadValue === 'stop')
      throw new UserError(
        'unmappable_value',
        `PostgreSQL cannot store the ${what}: its text contains NUL (U+0000). Nothing of its batch was applied. To store ` +
          'NULL instead of such values, start the sink with --on-bad-value null.',
      )
    log.warn({ topic, partition, seq, offset, field: field?.name }, 'value stored as NULL')
  }
}

function isAppend({ op }: SinkRecord): boolean {
  return op === 'append'
}
