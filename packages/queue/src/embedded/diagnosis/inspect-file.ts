import type { Finding } from '../../finding.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import { isCorrupt } from '../storage/sqlite-error.ts'
import type { Storage } from '../storage/storage.ts'
import type { Partition } from '../storage/topic-rows.ts'
import { createWriterRows } from '../storage/writers.ts'
import { attempt, readableOffsets } from './damaged-pages.ts'
import { createFinding, lostRecords } from './findings.ts'
import { lastStoredPartition } from './partition-rows.ts'
import { createStoredBatches, type StoredBatches } from './stored-batches.ts'

/** Inspects one snapshot. Yields `undefined` now and then, where the caller may let other work run. */
export function* inspectFile(engine: Engine): Generator<Finding | undefined, void, undefined> {
  const { storage, topics } = engine
  const { database, file } = storage
  database.exec('BEGIN')
  try {
    yield inspectPages(storage)
    yield* inspectWriters(storage)
    const partitions = topics.all().flatMap((topic) => topic.partitions)
    const last = lastStoredPartition(storage, partitions.length)
    if (last !== partitions.length) {
      const message = `There are batches of ${last} partitions, but rows of only ${partitions.length}.`
      yield createFinding('damaged_storage', file, message)
    }
    for (const partition of partitions) yield* inspectPartition(engine, partition)
    const orphans = 'SELECT count(*) AS count FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)'
    const { count } = database.prepare(orphans).get() as { count: number }
    if (count > 0) yield createFinding('leftover_bytes', file, `The file has ${count} batches without a row.`)
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

function inspectPages({ database, file }: Storage): Finding | undefined {
  const rows = database.prepare('PRAGMA integrity_check(20)').all() as { integrity_check: string }[]
  const messages = rows.map(({ integrity_check }) => integrity_check).filter((message) => message !== 'ok')
  if (messages.length === 0) return undefined
  const found = messages.join('; ').replaceAll('\n', ' ')
  return createFinding('damaged_pages', file, `The pages of the file are inconsistent: ${found}.`)
}

function* inspectWriters(storage: Storage): Generator<Finding, void, undefined> {
  const { database, file } = storage
  const writers = createWriterRows(storage)
  const ids = database.prepare('SELECT id FROM writers').all() as { id: string }[]
  for (const { id } of ids) {
    try {
      writers.get(id)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      const difference = 'does not match its checksum, so no run can write with this id'
      yield createFinding('damaged_writer', file, `The row of the writer "${id}" ${difference}.`)
    }
  }
}

function* inspectPartition(
  { storage: { database }, topics, batches }: Engine,
  partition: Partition,
): Generator<Finding | undefined, void, undefined> {
  const stored = createStoredBatches(database)
  const earliest = topics.earliest(partition)
  const end = attempt(() => batches.end(partition)).value
  if (end === undefined) yield damagedEnd(partition, 'is missing or does not match its checksum')
  let next: number | undefined = earliest
  let reached = 0
  for (const baseOffset of readableOffsets(database, partition)) {
    const { value: row, damage } = attempt(() => batches.rowAt(partition, baseOffset))
    // Left by a running or interrupted removal.
    if (row !== undefined && row.lastOffset < earliest) continue
    if (baseOffset < reached) {
      yield damaged(partition, baseOffset, `It overlaps the row before it, which ends at offset ${reached - 1}.`)
      continue
    }
    if (next !== undefined && baseOffset > next) yield missing(partition, next, baseOffset - 1)
    next = row && row.lastOffset + 1
    reached = next ?? baseOffset + 1
    yield row === undefined ? damaged(partition, baseOffset, damage) : inspectBatch(stored, partition, row)
  }
  if (end !== undefined && next !== undefined && next < end) yield missing(partition, next, end - 1)
  if (end !== undefined && end < reached)
    yield damagedEnd(partition, `has offset ${end}, but there are batches up to ${reached}`)
}

function inspectBatch(stored: StoredBatches, partition: Partition, row: BatchRow): Finding | undefined {
  const { baseOffset, lastOffset, bytesId } = row
  if (bytesId === 0) return lostRecords({ partition, first: baseOffset, last: lastOffset })
  const { value: found, damage } = attempt(() => {
    const found = stored.byRow(partition, row)
    for (const _ of found.batch.records());
    return found
  })
  if (found === undefined) return damaged(partition, baseOffset, damage)
  if (found.placeDamage === undefined) return undefined
  return damaged(partition, baseOffset, `It can still be read, but ${found.placeDamage}.`)
}

function damaged(partition: Partition, offset: number, message = ''): Finding {
  return createFinding('damaged_batch', describePlace(partition, offset), message)
}

function missing(partition: Partition, first: number, last: number): Finding {
  const message = `There is no row for the offsets ${first} to ${last}.`
  return createFinding('missing_batch', describePlace(partition, first), message)
}

function damagedEnd({ topic, partition }: Partition, difference: string): Finding {
  const message = `The row of the end of the partition ${difference}.`
  return createFinding('damaged_end', `"${topic}" partition ${partition}`, message)
}
