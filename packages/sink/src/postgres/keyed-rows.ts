import { checkpointRingSize } from '@headrace/catalog'
import type { RevertRecord } from '@headrace/client'
import { UserError } from '@headrace/queue'
import type { SinkRecord } from '../destination/destination.ts'
import { seqOf } from '../destination/record-seq.ts'
import { type Column, recordColumns } from './columns.ts'
import type { Database } from './database.ts'
import { quote, type Table, undoTable } from './tables.ts'

export interface KeyedRows {
  /** Applies records in order: the newest of each key becomes its row, and a revert restores the row before. */
  apply(table: Table, records: readonly SinkRecord[]): Promise<void>
}

export interface KeyedRowsOptions {
  readonly database: Database
  readonly sink: string
  readonly schema: string
  copy(table: string, columns: readonly Column[], records: readonly SinkRecord[]): Promise<void>
}

/**
 * A row per key. For each record that may be reverted, `headrace_undo` has the row that it replaced. Reverts come newest
 * first, so the first of the reverted records of a key has the row to restore.
 */
export function createKeyedRows({ database, sink, schema, copy }: KeyedRowsOptions): KeyedRows {
  const undo = undoTable(schema)

  return {
    async apply(table, records) {
      for (const run of runsOf(records)) {
        if (run[0]!.op === 'append') await upsert(table, run)
        else await restore(table, run.filter(isRevert))
      }
      await prune(table, records)
    },
  }

  async function upsert({ name, topic, columns }: Table, records: readonly SinkRecord[]): Promise<void> {
    const keyless = records.find(({ key }) => key === null)
    if (keyless) throw withoutKey(keyless)
    const names = [...recordColumns, ...columns].map((column) => quote(column.name))
    await database.query(
      `create temp table stage on commit drop as select ${names.join(', ')} from ${name} with no data`,
    )
    await copy('stage', columns, records)
    const deletes = records.filter(({ value, error }) => value === null && !error)
    const deleted = `(_partition, _seq) in (select * from unnest($1::int[], $2::bigint[]))`
    const deletedValues = [deletes.map(({ partition }) => partition), deletes.map(seqOf)]
    await database.query(
      `insert into ${undo} (sink, topic, partition, seq, unit, key, row)
       select $3, $4, _partition, _seq, _unit, _key,
         case when number = 1 then (select to_jsonb(kept) from ${name} kept where kept._key = version._key) else earlier end
       from (
         select _partition, _seq, _unit, _key, row_number() over versions as number,
           lag(case when ${deleted} then null else to_jsonb(stage) end) over versions as earlier
         from stage window versions as (partition by _key order by _partition, _seq)
       ) version where _unit is not null`,
      [...deletedValues, sink, topic],
    )
    const newest = `select distinct on (_key) * from stage order by _key, _partition desc, _seq desc`
    const updates = names.filter((column) => column !== '"_key"').map((column) => `${column} = excluded.${column}`)
    await database.query(
      `insert into ${name} (${names.join(', ')}) select * from (${newest}) newest where not ${deleted}
       on conflict (_key) do update set ${updates.join(', ')}`,
      deletedValues,
    )
    if (deletes.length > 0)
      await database.query(
        `delete from ${name} kept using (${newest}) newest where kept._key = newest._key and (newest._partition, newest._seq) in
         (select * from unnest($1::int[], $2::bigint[]))`,
        deletedValues,
      )
    await database.query('drop table stage')
  }

  /** Of a key that several records are reverted of, the row before the first of them is restored. */
  async function restore({ name, topic, columns }: Table, reverts: readonly RevertRecord<unknown>[]): Promise<void> {
    const before = await database.query<{ key: string; row: string | null; count: string }>(
      `with undone as (
        delete from ${undo} kept using unnest($3::int[], $4::bigint[]) as reverted (partition, seq)
        where sink = $1 and topic = $2 and kept.partition = reverted.partition and kept.seq = reverted.seq
        returning kept.*
      )
      select distinct on (key) key, row::text as row, count(*) over () as count from undone order by key, partition, seq`,
      [sink, topic, reverts.map(({ partition }) => partition), reverts.map(({ reverts: seq }) => seq)],
    )
    if (Number(before[0]?.count ?? 0) !== reverts.length) throw notKept(reverts[0]!)
    await database.query(`delete from ${name} where _key = any($1)`, [before.map(({ key }) => key)])
    const names = [...recordColumns, ...columns].map((column) => quote(column.name)).join(', ')
    await database.query(
      `insert into ${name} (${names})
       select ${names} from unnest($1::jsonb[]) as kept, jsonb_populate_record(null::${name}, kept)`,
      [before.flatMap(({ row }) => row ?? [])],
    )
  }

  /** Older units can no longer be reverted. */
  async function prune({ topic }: Table, records: readonly SinkRecord[]): Promise<void> {
    const unit = records.at(-1)?.unit
    if (unit == null) return
    await database.query(`delete from ${undo} where sink = $1 and topic = $2 and unit < $3`, [
      sink,
      topic,
      `${BigInt(unit) - BigInt(checkpointRingSize)}`,
    ])
  }
}

/** Consecutive records with the same `op`. */
function* runsOf(records: readonly SinkRecord[]): Generator<readonly SinkRecord[]> {
  let start = 0
  for (let end = 1; end <= records.length; end++) {
    if (end < records.length && records[end]!.op === records[start]!.op) continue
    yield records.slice(start, end)
    start = end
  }
}

function withoutKey({ topic, partition, seq, offset }: SinkRecord): UserError {
  return new UserError(
    'unmappable_value',
    `The record at ${seq === null ? `offset ${offset}` : `seq ${seq}`} in partition ${partition} of "${topic}" has no key, so ` +
      'it cannot have a row per key. Nothing of its batch was applied. Use --primary-key seq.',
  )
}

function isRevert<Record extends SinkRecord>(record: Record): record is Extract<Record, { readonly op: 'revert' }> {
  return record.op === 'revert'
}

function notKept({ topic, partition, reverts }: RevertRecord<unknown>): UserError {
  return new UserError(
    'destination_refused',
    `The row before seq ${reverts} in partition ${partition} of "${topic}", or before an earlier one, is not in ` +
      'headrace_undo, so the reverts from there on cannot be applied. Another program has changed that table. Start the sink with another --name and another table.',
  )
}
