import type { DatabaseSync } from 'node:sqlite'
import { decodeBatches } from '../../record-batch/decode.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import { placeChecksum } from '../storage/batch-bytes.ts'

/** A batch as it lies in `bytes`, whatever the rows of `batches` say. */
export interface FoundBatch {
  readonly partitionId: number
  readonly bytes: Uint8Array
  readonly batch: StoredBatch
}

/**
 * Every batch that can be read and is what it says. One may come twice. Damaged pages are passed over: what lies behind
 * them is found from the other end of the table, and what lies between two of them by the rows of `batches`.
 */
export function* findStoredBatches(database: DatabaseSync): Generator<FoundBatch, void, undefined> {
  const select = database.prepare('SELECT partition, checksum, bytes FROM bytes WHERE id = ?')
  for (const number of numbersOf(database)) {
    const row = attempt(() => select.get(number)) as ByteRow | undefined
    const batch = row && attempt(() => decodeWhole(row))
    if (row !== undefined && batch !== undefined) yield { partitionId: row.partition, bytes: row.bytes, batch }
  }
}

interface ByteRow {
  readonly partition: number
  readonly checksum: number
  readonly bytes: Uint8Array
}

function* numbersOf(database: DatabaseSync): Generator<bigint, void, undefined> {
  const whole = yield* fromBothEnds(database, 'SELECT id, id AS number FROM bytes')
  if (!whole) yield* fromBothEnds(database, 'SELECT id, bytes_id AS number FROM batches')
}

/** Goes through a table as far as its pages can be read from either end. Returns whether it has met all of it. */
function* fromBothEnds(database: DatabaseSync, select: string): Generator<bigint, boolean, undefined> {
  const following = database.prepare(`${select} WHERE id > ? ORDER BY id LIMIT 1`)
  const preceding = database.prepare(`${select} WHERE id < ? ORDER BY id DESC LIMIT 1`)
  for (const statement of [following, preceding]) statement.setReadBigInts(true)
  const step = (statement: typeof following, from: bigint): NumberedRow | 'none' | undefined =>
    attempt(() => (statement.get(from) as unknown as NumberedRow | undefined) ?? 'none')

  let low = -1n
  for (let row = step(following, low); ; row = step(following, low)) {
    if (row === 'none') return true
    // Where pages are not what they were a row may come that was not asked for.
    if (row === undefined || row.id <= low) break
    low = row.id
    yield row.number
  }
  let high = highestId
  for (let row = step(preceding, high); ; row = step(preceding, high)) {
    if (row === undefined || row === 'none' || row.id <= low || row.id >= high) return false
    high = row.id
    yield row.number
  }
}

interface NumberedRow {
  readonly id: bigint
  readonly number: bigint
}

const highestId = (1n << 63n) - 1n

function decodeWhole({ partition, checksum, bytes }: ByteRow): StoredBatch | undefined {
  const [batch] = decodeBatches(bytes, { topic: '', partition })
  if (batch === undefined || batch.byteLength !== bytes.length) return undefined
  return placeChecksum(partition, bytes) === checksum ? batch : undefined
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
