import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import type { Random } from '../../../testbed/random.ts'
import {
  type Comparison,
  compareQueue,
  createExampleQueue,
  type ExpectedPartition,
  note,
  textOf,
} from './known-queue.ts'

/** The files of a queue. The write-ahead log may hold commits that the database does not. */
export interface QueueFiles {
  readonly database: Buffer
  readonly log?: Buffer
}

export interface ExampleFiles {
  readonly expected: readonly ExpectedPartition[]
  /** The files while no process has the queue open. */
  readonly closed: QueueFiles
  /** The files after a writer appended 20 more records and was killed. */
  readonly killed: Required<QueueFiles>
}

export async function createExampleFiles(directory: string): Promise<ExampleFiles> {
  const folder = join(directory, 'made')
  mkdirSync(folder)
  const expected = await createExampleQueue(folder)
  const path = join(folder, 'queue.db')
  const closed = { database: readFileSync(path) }
  const queue = await openQueue(`embedded:${folder}`)
  for (let index = 0; index < 20; index++) {
    await queue.append([{ topic: 'empty', key: null, value: Buffer.alloc(5_000, index), time: index }])
  }
  copyFileSync(path, join(folder, 'copy.db'))
  copyFileSync(`${path}-wal`, join(folder, 'copy.db-wal'))
  await queue.close()
  const killed = { database: readFileSync(join(folder, 'copy.db')), log: readFileSync(join(folder, 'copy.db-wal')) }
  return { expected, closed, killed }
}

/** Damages to files. Each changes at least one byte. */
export const fileDamages: Readonly<Record<string, (files: ExampleFiles, random: Random) => QueueFiles>> = {
  'a bit anywhere': ({ closed: { database } }, random) => ({
    database: flipBit(database, random.integer(database.length)),
  }),
  'a bit of the header': ({ closed: { database } }, random) => ({ database: flipBit(database, random.integer(100)) }),
  'a bit of the first pages': ({ closed: { database } }, random) => ({
    database: flipBit(database, random.integer(pageBytes * 8)),
  }),
  'a bit where a page begins': ({ closed: { database } }, random) => ({
    database: flipBit(database, pageOf(database, random) + random.integer(64)),
  }),
  'a bit of a row': ({ closed: { database } }, random) => ({
    database: flipBit(database, positionInLeaf(database, random, leafOf.table)),
  }),
  'a bit of an index': ({ closed: { database } }, random) => ({
    database: flipBit(database, positionInLeaf(database, random, leafOf.index)),
  }),
  'a page of zeros': ({ closed: { database } }, random) => {
    const page = pageOf(database, random)
    return { database: Buffer.from(database).fill(0, page, page + pageBytes) }
  },
  'a page that is replaced by another': ({ closed: { database } }, random) => {
    const damaged = Buffer.from(database)
    const page = pageOf(database, random)
    database.copy(damaged, pageOf(database, random), page, page + pageBytes)
    return { database: damaged }
  },
  'two exchanged pages': ({ closed: { database } }, random) => {
    const damaged = Buffer.from(database)
    const [one, other] = [pageOf(database, random), pageOf(database, random)]
    database.copy(damaged, one, other, other + pageBytes)
    database.copy(damaged, other, one, one + pageBytes)
    return { database: damaged }
  },
  'some pages of zeros': ({ closed: { database } }, random) => {
    const damaged = Buffer.from(database)
    for (let count = 0; count < 4; count++) {
      const page = pageOf(database, random)
      damaged.fill(0, page, page + pageBytes)
    }
    return { database: damaged }
  },
  'bits in many places': ({ closed: { database } }, random) => {
    let damaged = database
    for (let count = 0; count < 20; count++) damaged = flipBit(damaged, random.integer(database.length))
    return { database: damaged }
  },
  'a truncated file': ({ closed: { database } }, random) => ({
    database: database.subarray(0, random.integer(database.length)),
  }),
  'a missing last page': ({ closed: { database } }) => ({
    database: database.subarray(0, database.length - pageBytes),
  }),
  'a few missing last pages': ({ closed: { database } }, random) => ({
    database: database.subarray(0, database.length - random.integer(8 * pageBytes)),
  }),
  'a bit of the log': ({ killed: { database, log } }, random) => ({
    database,
    log: flipBit(log, random.integer(log.length)),
  }),
  'a truncated log': ({ killed: { database, log } }, random) => ({
    database,
    log: log.subarray(0, random.integer(log.length)),
  }),
  'a missing log': ({ killed: { database } }) => ({ database }),
}

export function writeQueueFiles(folder: string, { database, log }: QueueFiles): void {
  mkdirSync(folder)
  writeFileSync(join(folder, 'queue.db'), database)
  if (log !== undefined) writeFileSync(join(folder, 'queue.db-wal'), log)
}

/**
 * Opens a queue, reads all of it and appends to each topic.
 *
 * @param mayEndEarly - Whether it may be as it was at an earlier commit.
 */
export async function compareFolder(
  folder: string,
  expected: readonly ExpectedPartition[],
  mayEndEarly: boolean,
): Promise<Comparison> {
  const comparison: Comparison = { errors: [], differences: [] }
  await note(comparison, async () => {
    const queue = await openQueue(`embedded:${folder}`, { create: false })
    try {
      const grownPartitions = mayEndEarly ? expected.map((one) => (one.topic === 'empty' ? grown(one) : one)) : expected
      const { errors, differences } = await compareQueue(queue, grownPartitions, mayEndEarly)
      comparison.errors.push(...errors)
      comparison.differences.push(...differences)
      for (const { topic, partition, end } of mayEndEarly ? [] : expected) {
        await appendTo(queue, { topic, partition, end }, comparison)
      }
    } finally {
      await queue.close()
    }
  })
  return comparison
}

const pageBytes = 16_384

function flipBit(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes)
  damaged[at]! ^= 1 << (at % 8)
  return damaged
}

function pageOf(database: Buffer, random: Random): number {
  return random.integer(database.length / pageBytes) * pageBytes
}

/** The first byte of a page (https://sqlite.org/fileformat2.html, 1.6). */
const leafOf = { table: 0x0d, index: 0x0a }

/** A position in the used part of a leaf page. */
function positionInLeaf(database: Buffer, random: Random, type: number): number {
  for (;;) {
    const page = pageOf(database, random)
    if (database[page] === type) return page + pageBytes - 1 - random.integer(2_000)
  }
}

/** Adds the records that were appended to `empty` before the files of `killed` were copied. */
function grown(partition: ExpectedPartition): ExpectedPartition {
  const records = new Map<bigint, string>()
  for (let index = 0; index < 20; index++) {
    const record = { topic: 'empty', partition: 0, offset: BigInt(index), key: null, headers: [] }
    records.set(BigInt(index), textOf({ ...record, value: Buffer.alloc(5_000, index), time: index }))
  }
  return { ...partition, end: 20n, records }
}

async function appendTo(
  queue: Awaited<ReturnType<typeof openQueue>>,
  { topic, partition, end: offset }: { topic: string; partition: number; end: bigint },
  comparison: Comparison,
): Promise<void> {
  await note(comparison, async () => {
    await queue.append([{ topic, partition, key: Buffer.from('after'), value: Buffer.from('damage'), time: 3_000 }])
    const { batches } = await queue.read({ topic, partition, offset }, { maxBytes: 1 << 16 })
    const values = batches.flatMap((batch) => Array.from(batch.records(), ({ value }) => `${Buffer.from(value!)}`))
    if (values.join() !== 'damage') comparison.differences.push(`the record appended to ${topic} is "${values}"`)
  })
}
