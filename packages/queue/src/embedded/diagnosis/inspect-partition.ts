import { DamagedBatchError } from '../../errors.ts'
import type { Finding } from '../../finding.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import { batchKey, endKey, offsetMask } from '../storage/batch-key.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import { isCorrupt } from '../storage/sqlite-error.ts'
import type { Partition } from '../storage/topics.ts'

/** Goes through every row and batch of a partition, whatever it meets, and tells each place that is wrong. */
export function* inspectPartition(
  engine: Engine,
  partition: Partition,
): Generator<Finding | undefined, void, undefined> {
  const { topics, batches } = engine
  const earliest = topics.earliest(partition)
  const end = attempt(() => batches.end(partition)).value
  if (end === undefined) yield endIsUnknown(partition)
  // Where the next row must begin; not known after one that cannot be trusted.
  let next: number | undefined = earliest
  for (const baseOffset of offsetsOf(engine, partition)) {
    const { value: row, damage } = attempt(() => batches.rowAt(partition, baseOffset))
    // Left by a removal that goes on or was broken off. The next one takes it too.
    if (row !== undefined && row.lastOffset < earliest) continue
    if (next !== undefined && baseOffset > next) yield missing(partition, next, baseOffset - 1)
    next = row && row.lastOffset + 1
    yield row === undefined ? damaged(partition, baseOffset, damage) : inspectBatch(engine, partition, row)
  }
  if (end !== undefined && next !== undefined && next < end) yield missing(partition, next, end - 1)
}

function inspectBatch({ batches }: Engine, partition: Partition, row: BatchRow): Finding | undefined {
  if (row.bytesId === 0) return lost(partition, row)
  const { damage } = attempt(() => {
    for (const _ of batches.load(partition, row).records());
  })
  return damage === undefined ? undefined : damaged(partition, row.baseOffset, damage)
}

/** The base offsets of the rows, as far as the pages can be read. */
function* offsetsOf({ storage: { database } }: Engine, { id }: Partition): Generator<number, void, undefined> {
  const rows = database.prepare(
    `SELECT id & ${offsetMask} AS baseOffset FROM batches WHERE id >= ? AND id < ? ORDER BY id LIMIT ${rowsAtATime}`,
  )
  for (let from = 0; ; ) {
    const { value: page } = attempt(() => rows.all(batchKey(id, from), endKey(id)) as { baseOffset: number }[])
    if (page === undefined) return
    for (const { baseOffset } of page) yield baseOffset
    const next = (page.at(-1)?.baseOffset ?? from) + 1
    // Where pages are not what they were, rows may come that were not asked for.
    if (page.length < rowsAtATime || next <= from) return
    from = next
  }
}

const rowsAtATime = 1_000

function attempt<T>(work: () => T): { value?: T; damage?: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof DamagedBatchError) return { damage: error.message }
    if (isCorrupt(error)) return { damage: 'Its pages in the file contradict each other.' }
    throw error
  }
}

const withRepair = 'Restore the file from a copy, or run it with --repair, which keeps everything else.'

function placeOf({ topic, number }: Partition, offset: number): string {
  return describePlace({ topic, partition: number }, BigInt(offset))
}

function damaged(partition: Partition, offset: number, message = ''): Finding {
  const place = placeOf(partition, offset)
  return { severity: 'error', code: 'damaged_batch', place, message, remedy: withRepair, repaired: false }
}

function missing(partition: Partition, first: number, last: number): Finding {
  return {
    severity: 'error',
    code: 'missing_batch',
    place: placeOf(partition, first),
    message: `There is no row for the offsets ${first} to ${last}.`,
    remedy: withRepair,
    repaired: false,
  }
}

function endIsUnknown({ topic, number }: Partition): Finding {
  return {
    severity: 'error',
    code: 'damaged_end',
    place: `"${topic}" partition ${number}`,
    message: 'The row that says where the partition ends is missing or has changed.',
    remedy: 'Run it with --repair: it then ends after the last batch that is there, and readers begin anew.',
    repaired: false,
  }
}

/** A repair has noted it. Nothing brings it back, and every reader is told. */
function lost(partition: Partition, { baseOffset, lastOffset }: BatchRow): Finding {
  return {
    severity: 'warning',
    code: 'lost_records',
    place: placeOf(partition, baseOffset),
    message: `The records of the offsets ${baseOffset} to ${lastOffset} are lost. Reading there ends with position_lost.`,
    remedy: 'Restore the file from a copy if they are needed.',
    repaired: false,
  }
}
