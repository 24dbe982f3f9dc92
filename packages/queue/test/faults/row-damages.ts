import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Random } from '../../../testbed/random.ts'

/** Damages to rows, which do not damage the structure of the pages. Each changes at least one row. */
export const rowDamages: Readonly<Record<string, (database: DatabaseSync, random: Random) => void>> = {
  'a row of batches that is missing': (database, random) => removeRow(database, 'batches', random),
  'a row of bytes that is missing': (database, random) => removeRow(database, 'bytes', random),
  'many rows of batches that are missing': (database, random) => {
    for (let count = 0; count < 30; count++) removeRow(database, 'batches', random)
  },
  'an end that has no row': (database, random) => removeEnd(database, random),
  'an end that has no row and a batch before it that is damaged': (database, random) => {
    const partition = removeEnd(database, random)
    const last = `SELECT bytes_id AS id FROM batches WHERE id >> 43 = ? AND bytes_id > 0 ORDER BY id DESC LIMIT 1`
    const row = database.prepare(last).get(partition) as { id: number } | undefined
    if (row !== undefined) flipBitOf(database, row.id, random)
  },
  'a column of batches': (database, random) => alterColumn(database, 'batches', random.pick(columns.batches), random),
  'the partition of some bytes, and a bit of others': (database, random) => {
    for (let count = 0; count < 12; count++) alterColumn(database, 'bytes', 'partition', random)
    flipBitOf(database, idOf(database, 'bytes', random), random)
  },
  'the checksum of some bytes, and a bit of others': (database, random) => {
    for (let count = 0; count < 12; count++) alterColumn(database, 'bytes', 'checksum', random)
    flipBitOf(database, idOf(database, 'bytes', random), random)
  },
  'a bit of the bytes of a batch': (database, random) => flipBitOf(database, idOf(database, 'bytes', random), random),
  'a column of partitions': (database, random) =>
    alterColumn(database, 'partitions', random.pick(columns.partitions), random),
  'the row of the last partition is missing': (database) =>
    database.exec('DELETE FROM partitions WHERE id = (SELECT max(id) FROM partitions)'),
  'a row of partitions that is missing': (database, random) => removeRow(database, 'partitions', random),
  'a column of topics': (database, random) => alterColumn(database, 'topics', random.pick(columns.topics), random),
  'a row of topics that is missing': (database, random) => removeRow(database, 'topics', random),
  'a column of writers': (database, random) =>
    database.exec(`UPDATE writers SET ${random.pick(['epoch', 'checksum'])} = ${random.integer(1_000_000)} + 7`),
}

const columns = {
  batches: [
    ...['key', 'last_offset', 'max_time', 'superseded_by', 'removable_at', 'bytes_id', 'size', 'batch_checksum'],
    'checksum',
  ],
  partitions: ['topic', 'number', 'earliest', 'checksum'],
  topics: ['name', 'uid', 'cleanup', 'checksum'],
}

type Table = 'batches' | 'bytes' | 'partitions' | 'topics'

function idOf(database: DatabaseSync, table: Table, random: Random): bigint {
  const ids = database.prepare(`SELECT id FROM ${table} ORDER BY id`)
  ids.setReadBigInts(true)
  return random.pick(ids.all() as { id: bigint }[]).id
}

function removeRow(database: DatabaseSync, table: Table, random: Random): void {
  database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(idOf(database, table, random))
}

function removeEnd(database: DatabaseSync, random: Random): bigint {
  const partition = idOf(database, 'partitions', random)
  database.prepare('DELETE FROM batches WHERE id = (? << 43) + (1 << 43) - 1').run(partition)
  return partition
}

function alterColumn(database: DatabaseSync, table: Table, column: string, random: Random): void {
  const id = idOf(database, table, random)
  const { value } = database.prepare(`SELECT ${column} AS value FROM ${table} WHERE id = ?`).get(id) as {
    value: SQLInputValue
  }
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(otherThan(value, random), id)
}

function otherThan(value: SQLInputValue, random: Random): SQLInputValue {
  if (typeof value === 'string') return `${value}x`
  return typeof value === 'number' ? value + 1 + random.integer(1_000) : Buffer.from('other key')
}

function flipBitOf(database: DatabaseSync, id: number | bigint, random: Random): void {
  const { bytes } = database.prepare('SELECT bytes FROM bytes WHERE id = ?').get(id) as { bytes: Uint8Array }
  bytes[random.integer(bytes.length)]! ^= 1 << random.integer(8)
  database.prepare('UPDATE bytes SET bytes = ? WHERE id = ?').run(bytes, id)
}

/** Damages rows of a file that no process has open. */
export function damageRows(file: string, kind: string, random: Random): void {
  const database = new DatabaseSync(file)
  rowDamages[kind]!(database, random)
  database.close()
}
