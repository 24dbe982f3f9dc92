import type { Finding } from '../../finding.ts'
import type { Engine } from '../engine.ts'
import { isCorrupt } from '../storage/sqlite-error.ts'
import { createWriterRows } from '../storage/writers.ts'
import { repairableFinding } from './findings.ts'
import { inspectPartition } from './inspect-partition.ts'
import { lastStoredPartition } from './partition-rows.ts'

/** Inspects one snapshot. Yields `undefined` now and then, where the caller may let other work run. */
export function* inspectFile(engine: Engine): Generator<Finding | undefined, void, undefined> {
  const { database } = engine.storage
  database.exec('BEGIN')
  try {
    yield* inspectPages(engine)
    yield* inspectWriters(engine)
    const partitions = engine.topics.all().flatMap((topic) => topic.partitions)
    yield* inspectPartitionRows(engine, partitions.length)
    for (const partition of partitions) yield* inspectPartition(engine, partition)
    yield* inspectLeftovers(engine)
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

function* inspectPages({ storage: { database, file } }: Engine): Generator<Finding | undefined, void, undefined> {
  const rows = database.prepare('PRAGMA integrity_check(20)').all() as { integrity_check: string }[]
  const messages = rows.map(({ integrity_check }) => integrity_check).filter((message) => message !== 'ok')
  if (messages.length === 0) return yield undefined
  yield repairableFinding({
    code: 'damaged_pages',
    place: file,
    message: `The pages of the file are inconsistent: ${messages.join('; ').replaceAll('\n', ' ')}.`,
    remedy: 'Restore the file from a copy, or run it with `repair`, which keeps what is not damaged.',
  })
}

function* inspectWriters({ storage }: Engine): Generator<Finding, void, undefined> {
  const { database, file } = storage
  const writers = createWriterRows(storage)
  const ids = database.prepare('SELECT id FROM writers').all() as { id: string }[]
  for (const { id } of ids) {
    try {
      writers.get(id)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      yield repairableFinding({
        code: 'damaged_writer',
        place: file,
        message: `The row of the writer "${id}" does not match its checksum, so no run can write with this id.`,
        remedy: 'Run it with `repair`: the next run then claims the id again.',
      })
    }
  }
}

function* inspectPartitionRows({ storage }: Engine, known: number): Generator<Finding, void, undefined> {
  const last = lastStoredPartition(storage, known)
  if (last === known) return
  yield repairableFinding({
    code: 'damaged_storage',
    place: storage.file,
    message: `There are batches of ${last} partitions, but rows of only ${known}.`,
    remedy: 'Restore the file from a copy, or run it with `repair`, which keeps what is not damaged.',
  })
}

function* inspectLeftovers({ storage: { database, file } }: Engine): Generator<Finding, void, undefined> {
  const orphans = database.prepare('SELECT count(*) AS count FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)')
  const { count } = orphans.get() as { count: number }
  if (count === 0) return
  yield {
    severity: 'warning',
    code: 'leftover_bytes',
    place: file,
    message: `The file has ${count} batches without a row.`,
    remedy: 'Run it with `repair`: batches of a known partition are restored, the others are removed.',
    repaired: false,
    repairable: true,
  }
}
