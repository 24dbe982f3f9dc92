import { DatabaseSync } from 'node:sqlite'
import { type Finding, openQueue, PositionLostError, type Queue } from '../../src/index.ts'
import type { ExpectedPartition } from './known-queue.ts'

/** Offsets of a partition, both ends included. */
export interface OffsetRange {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
}

export interface KnownBatch extends OffsetRange {
  readonly bytesId: number
  readonly bytes: Uint8Array
  readonly row: string
  readonly place: string
}

export function readBatches(file: string): KnownBatch[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(joined).all() as unknown as JoinedRow[]
  database.close()
  return rows.map(({ topic, number, first, last_offset, bytes_id, bytes, place, ...row }) => ({
    ...{ topic, partition: number, first, last: last_offset, bytesId: bytes_id, bytes, place },
    row: JSON.stringify(row),
  }))
}

const rowColumns =
  'batches.id >> 43 AS upper, max_time, hex(key) AS key, superseded_by, removable_at, size, batch_checksum'
const joined = `
  SELECT name AS topic, number, batches.id & ((1 << 43) - 1) AS first, last_offset, bytes_id, bytes.bytes AS bytes,
    bytes.partition || ' ' || bytes.checksum AS place, ${rowColumns}, batches.checksum AS sealed
  FROM batches JOIN bytes ON bytes.id = bytes_id JOIN partitions ON partitions.id = batches.id >> 43
    JOIN topics ON topics.id = partitions.topic
  ORDER BY batches.id`

interface JoinedRow {
  readonly topic: string
  readonly number: number
  readonly first: number
  readonly last_offset: number
  readonly bytes_id: number
  readonly bytes: Uint8Array
  readonly place: string
}

/**
 * The damaged batches: their bytes have changed or cannot be selected, or both copies of their position
 * have changed. Selects rows by id, independently of the repair.
 */
export function touchedBatches(file: string, batches: readonly KnownBatch[]): KnownBatch[] {
  const database = new DatabaseSync(file, lenient)
  try {
    database.exec('PRAGMA writable_schema = ON')
    return batches.filter((batch) => !isUntouched(database, batch))
  } catch {
    return [...batches]
  } finally {
    database.close()
  }
}

/** Allows reading a truncated file. */
const lenient = { defensive: false }

function isUntouched(database: DatabaseSync, { bytesId, bytes, place, row, first, last }: KnownBatch): boolean {
  const selected = attempt(() => {
    const columns = "bytes, partition || ' ' || checksum AS place"
    return database.prepare(`SELECT ${columns} FROM bytes WHERE id = ?`).get(bytesId) as
      | { bytes: Uint8Array; place: string }
      | undefined
  })
  if (selected === undefined || !(selected.bytes instanceof Uint8Array)) return false
  if (Buffer.compare(selected.bytes, bytes) !== 0) return false
  if (selected.place === place) return true
  const now = attempt(() => {
    const { upper } = JSON.parse(row) as { upper: number }
    const columns = `${rowColumns}, checksum AS sealed, last_offset, bytes_id`
    return database
      .prepare(`SELECT ${columns} FROM batches WHERE id = ?`)
      .get((BigInt(upper) << 43n) | BigInt(first)) as Record<string, number>
  })
  if (now === undefined) return false
  const { last_offset, bytes_id, ...columns } = now
  return last_offset === last && bytes_id === bytesId && JSON.stringify(columns) === row
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** The ranges that findings report as lost, up to infinity if the end is undetermined. */
export function lostRanges(findings: readonly Finding[]): OffsetRange[] {
  return findings.flatMap(({ lost }) =>
    lost === undefined ? [] : { ...lost, first: Number(lost.first), last: Number(lost.last ?? Infinity) },
  )
}

/** The ranges of expected records that a reader does not get. */
export async function rangesNotServed(folder: string, expected: readonly ExpectedPartition[]): Promise<OffsetRange[]> {
  const queue = await openQueue(`embedded:${folder}`, { create: false })
  try {
    const ranges: OffsetRange[] = []
    for (const one of expected) for await (const range of notServed(queue, one)) ranges.push(range)
    return ranges
  } finally {
    await queue.close()
  }
}

async function* notServed(
  queue: Queue,
  { topic, partition, earliest, end }: ExpectedPartition,
): AsyncGenerator<OffsetRange> {
  for (let offset = earliest; offset < end; ) {
    try {
      const { next } = await queue.read({ topic, partition, offset }, { maxBytes: 1 << 16 })
      if (next > offset) offset = next
      else return yield { topic, partition, first: Number(offset), last: Number(end) - 1 }
    } catch (error) {
      if (!(error instanceof PositionLostError)) throw error
      const next = error.earliest > offset ? error.earliest : end
      yield { topic, partition, first: Number(offset), last: Number(next) - 1 }
      offset = next
    }
  }
}

/** The offsets in ranges that had a record, each as text. Compaction has removed the records of the others. */
export function offsetsOf(ranges: readonly OffsetRange[], expected: readonly ExpectedPartition[]): Set<string> {
  const offsets: string[] = []
  for (const { topic, partition, first, last } of ranges) {
    const { earliest, end, records } = expected.find((one) => one.topic === topic && one.partition === partition)!
    const from = Math.max(first, Number(earliest))
    for (let offset = from; offset <= last && offset < Number(end); offset++) {
      if (records.has(BigInt(offset))) offsets.push(`${topic} ${partition} ${String(offset).padStart(9)}`)
    }
  }
  return new Set(offsets.toSorted())
}
