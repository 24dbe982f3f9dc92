import { setTimeout as delay } from 'node:timers/promises'
import type { Batch, Client } from '@headrace/client'
import type { Client as Database } from 'pg'
import { escapeIdentifier } from 'pg'

export interface MirrorOptions {
  readonly client: Client<Record<string, object>>
  /** Connected, and not used elsewhere. */
  readonly database: Database
  readonly topic: string
  readonly table: string
  readonly signal: AbortSignal
  /** Called once the table follows the topic. */
  readonly report: (text: string) => void
}

/** Ms between two attempts to lock the table. */
const lockPauseMs = 200

/**
 * Keeps a table equal to the canonical records of a topic, one row each. Runs until the signal is aborted, or an error.
 *
 * The cursor is stored in the transaction of the records before it, so each record is applied exactly once.
 */
export async function mirror({ client, database, topic, table, signal, report }: MirrorOptions): Promise<void> {
  await lock(database, table, signal)
  await prepare(database, table)
  const from = await readCursor(database, table)
  let follows = false
  for await (const batch of client.follow({ topics: [topic], from, signal })) {
    await apply(database, table, batch)
    if (!follows) report(`${table} follows ${topic}${placeOf(batch)}.`)
    follows = true
  }
}

function placeOf({ records }: Batch<object>): string {
  const last = records.at(-1)
  return last ? `, and is whole through seq ${last.seq} of partition ${last.partition}` : ', with nothing new so far'
}

/**
 * Waits until no other mirror writes the table. The connection holds the lock, so a killed mirror releases it. The lock
 * is polled, because a waiting query would not end with the signal.
 */
async function lock(database: Database, table: string, signal: AbortSignal): Promise<void> {
  const sql = 'select pg_try_advisory_lock(hashtext($1)) as locked'
  while (!(await database.query(sql, [`mirror ${table}`])).rows[0].locked)
    await delay(lockPauseMs, undefined, { signal })
}

async function prepare(database: Database, table: string): Promise<void> {
  await database.query(`
    create table if not exists mirror_cursor (mirror text primary key, cursor text not null);
    create table if not exists ${escapeIdentifier(table)} (
      partition int, seq bigint, time timestamptz not null, key text, value jsonb, primary key (partition, seq)
    )`)
}

async function readCursor(database: Database, table: string): Promise<string | undefined> {
  const { rows } = await database.query('select cursor from mirror_cursor where mirror = $1', [table])
  return rows[0]?.cursor
}

async function apply(database: Database, table: string, { records, cursor }: Batch<object>): Promise<void> {
  await database.query('begin')
  // A revert follows its record, and comes once, so a batch's records can be added before its reverts.
  await upsert(
    database,
    table,
    records.filter(({ op }) => op === 'append'),
  )
  await revert(
    database,
    table,
    records.filter(({ op }) => op === 'revert'),
  )
  await database.query(
    'insert into mirror_cursor values ($1, $2) on conflict (mirror) do update set cursor = excluded.cursor',
    [table, cursor],
  )
  await database.query('commit')
}

async function upsert(database: Database, table: string, records: Batch<object>['records']): Promise<void> {
  if (records.length === 0) return
  await database.query(
    `insert into ${escapeIdentifier(table)} (partition, seq, time, key, value)
     select partition, seq, time, key, value
     from json_to_recordset($1) as record (partition int, seq bigint, time timestamptz, key text, value jsonb)
     on conflict (partition, seq) do update set time = excluded.time, key = excluded.key, value = excluded.value`,
    [JSON.stringify(records)],
  )
}

async function revert(database: Database, table: string, records: Batch<object>['records']): Promise<void> {
  if (records.length === 0) return
  await database.query(
    `delete from ${escapeIdentifier(table)} as mirrored
     using json_to_recordset($1) as record (partition int, reverts bigint)
     where mirrored.partition = record.partition and mirrored.seq = record.reverts`,
    [JSON.stringify(records)],
  )
}
