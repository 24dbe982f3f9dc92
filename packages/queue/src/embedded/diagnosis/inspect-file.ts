import type { Finding } from '../../finding.ts'
import type { Engine } from '../engine.ts'
import { isCorrupt } from '../storage/sqlite-error.ts'
import { inspectPartition } from './inspect-partition.ts'
import { lastStoredPartition } from './partition-rows.ts'

/**
 * Finds what is wrong with an open queue, as it is at one moment. Yields nothing at times, so that others get their turn.
 */
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

/** What SQLite itself finds. */
function* inspectPages({ storage: { database, file } }: Engine): Generator<Finding | undefined, void, undefined> {
  const rows = database.prepare('PRAGMA integrity_check(20)').all() as { integrity_check: string }[]
  const messages = rows.map(({ integrity_check }) => integrity_check).filter((message) => message !== 'ok')
  if (messages.length === 0) return yield undefined
  yield {
    severity: 'error',
    code: 'damaged_pages',
    place: file,
    message: `The pages of the file contradict each other: ${messages.join('; ').replaceAll('\n', ' ')}.`,
    remedy: 'Restore the file from a copy, or run it with `repair`, which keeps what can be trusted.',
    repaired: false,
    repairable: true,
  }
}

function* inspectWriters({ storage: { database, file }, writers }: Engine): Generator<Finding, void, undefined> {
  const ids = database.prepare('SELECT id FROM writers').all() as { id: string }[]
  for (const { id } of ids) {
    try {
      writers.current(id)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      yield {
        severity: 'error',
        code: 'damaged_writer',
        place: file,
        message: `The row of the writer "${id}" does not match its checksum, so nobody can write as it.`,
        remedy: 'Run it with `repair`: the next run claims the id anew.',
        repaired: false,
        repairable: true,
      }
    }
  }
}

/** The last rows may be missing: nothing else counts them. */
function* inspectPartitionRows({ storage }: Engine, known: number): Generator<Finding, void, undefined> {
  const last = lastStoredPartition(storage, known)
  if (last === known) return
  yield {
    severity: 'error',
    code: 'damaged_storage',
    place: storage.file,
    message: `There are batches of ${last} partitions, and rows of ${known}.`,
    remedy: 'Restore the file from a copy, or run it with `repair`, which keeps what can be trusted.',
    repaired: false,
    repairable: true,
  }
}

function* inspectLeftovers({ storage: { database, file } }: Engine): Generator<Finding, void, undefined> {
  const orphans = database.prepare('SELECT count(*) AS count FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)')
  const { count } = orphans.get() as { count: number }
  if (count === 0) return
  yield {
    severity: 'warning',
    code: 'leftover_bytes',
    place: file,
    message: `${count} batches are in the file that no row stands for.`,
    remedy: 'Run it with `repair`: what belongs to a partition is put back, the rest goes.',
    repaired: false,
    repairable: true,
  }
}
