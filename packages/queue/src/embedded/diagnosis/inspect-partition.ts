import type { Finding } from '../../finding.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import { type BatchRow, batchKey, endKey } from '../storage/batch-rows.ts'
import type { Partition } from '../storage/topic-rows.ts'
import { attempt } from './attempt.ts'
import { lostRecords, repairableFinding } from './findings.ts'
import { readableIds } from './readable-ids.ts'
import { createStoredBatches, type StoredBatches } from './stored-batches.ts'

export function* inspectPartition(
  engine: Engine,
  partition: Partition,
): Generator<Finding | undefined, void, undefined> {
  const { topics, batches } = engine
  const stored = createStoredBatches(engine.storage.database)
  const earliest = topics.earliest(partition)
  const end = attempt(() => batches.end(partition)).value
  if (end === undefined) yield damagedEnd(partition, 'is missing or does not match its checksum')
  let next: number | undefined = earliest
  let reached = 0
  for (const baseOffset of offsetsOf(engine, partition)) {
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

function* offsetsOf({ storage: { database } }: Engine, { id }: Partition): Generator<number, void, undefined> {
  const first = batchKey(id, 0)
  for (const key of readableIds(database, 'batches', { after: first - 1n, before: endKey(id) }))
    yield Number(key - first)
}

const withRepair = 'Restore the file from a copy, or run it with `repair`, which keeps everything else.'

function placeOf({ topic, number }: Partition, offset: number): string {
  return describePlace({ topic, partition: number }, BigInt(offset))
}

function damaged(partition: Partition, offset: number, message = ''): Finding {
  return repairableFinding({ code: 'damaged_batch', place: placeOf(partition, offset), message, remedy: withRepair })
}

function missing(partition: Partition, first: number, last: number): Finding {
  return repairableFinding({
    code: 'missing_batch',
    place: placeOf(partition, first),
    message: `There is no row for the offsets ${first} to ${last}.`,
    remedy: withRepair,
  })
}

function damagedEnd({ topic, number }: Partition, difference: string): Finding {
  return repairableFinding({
    code: 'damaged_end',
    place: `"${topic}" partition ${number}`,
    message: `The row of the end of the partition ${difference}.`,
    remedy: 'Run it with `repair`: the partition then ends after its last batch.',
  })
}
