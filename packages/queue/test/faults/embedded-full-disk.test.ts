import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openQueue, type Queue, QueueUnavailableError, TransactionAbortedError, type Writer } from '@headrace/queue'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { compactPartition, defaultCompaction } from '../../src/embedded/compaction.ts'
import { openEngine } from '../../src/embedded/open-engine.ts'
import { compactionLagMs } from '../../src/embedded/storage/batch-table.ts'
import type { Storage } from '../../src/embedded/storage/storage.ts'
import { dataTopics, readCheckpoint, readPartition, valuesUpTo } from '../units.ts'
import {
  type DiskQueueContent,
  diskUnit,
  firstUnits,
  keyRecords,
  makeDiskQueue,
  oldRecords,
  readDiskQueue,
  record,
} from './embedded-disk-queue.ts'
import { publishUnits } from './unit-publisher.ts'

const { storages } = vi.hoisted(() => ({ storages: [] as Storage[] }))

// `max_page_count` is a setting of a connection, so the connection of the queue itself is needed.
vi.mock('../../src/embedded/storage/storage.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/embedded/storage/storage.ts')>()
  const openStorage: typeof original.openStorage = async (options) => {
    const storage = await original.openStorage(options)
    storages.push(storage)
    return storage
  }
  return { ...original, openStorage }
})

let directory: string
let preparedFolder: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  preparedFolder = join(directory, 'made')
  await makeDiskQueue(preparedFolder)
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Two faults for `append`, and one for each other operation. */
const faultsPerRound = 10

describe('a full disk', () => {
  const refusedCommit = { name: 'TransactionAbortedError', code: 'transaction_aborted', cause: 'queue_unavailable' }
  const refused = { name: 'QueueUnavailableError', code: 'queue_unavailable' }
  const places: Record<string, object> = {
    commit: refusedCommit,
    'commit from a spool file': refusedCommit,
    append: refused,
    createTopics: refused,
    openWriter: refused,
    deleteBefore: refused,
    compaction: refused,
    'spool file': refused,
  }

  it('makes every operation that needs space fail with a clear error, loses nothing, and allows all of them after space is freed', async () => {
    const counts = { once: faultsPerRound, scaled: 8 * faultsPerRound, full: 40 * faultsPerRound }
    const plan = planFaults('full disk, embedded', counts, [...Object.keys(places), 'opening'])
    for (let round = 0; round < plan.count / faultsPerRound; round++) {
      const folder = join(directory, `round-${round}`)
      cpSync(preparedFolder, folder, { recursive: true })
      // In some rounds the space suffices to merge the write-ahead log into the file before the disk is full.
      const kibibytes = 1_024 + plan.random.integer(2_000) + (round % 5 === 4 ? 16_384 : 0)
      const end = plan.random.pick(['close', 'leave'])
      const { stdout, stderr } = await runLimited('embedded-fill-disk.ts', [folder, end], kibibytes)
      expect(stderr).toBe('')
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const { content, acknowledged } = lines.pop()
      for (const { place, error } of lines) {
        expect(error, `the error of ${place} at ${kibibytes} KiB`).toMatchObject(places[place]!)
        expect(error.message).toMatch(/disk (of .* )?is full/)
        expect(error.message).toContain(folder)
        plan.hit(place)
      }
      expectWhole(content)
      expect({ unit: content.unit, appended: content.appended.length }).toEqual(acknowledged)
      await expectContinues(folder, content)
      rmSync(folder, { recursive: true })
      await expectOpensLater(join(directory, `opening-${round}`), plan.random.integer(100))
      plan.hit('opening')
    }
    plan.expectAllHit()
  })
})

describe('a file with a limit of pages', () => {
  let folder: string
  let queue: Queue
  let storage: Storage
  let writer: Writer

  beforeEach(openCopy)
  afterEach(() => queue.close())

  it('refuses operations that need a page, and accepts them from the same writer when the limit is raised', async () => {
    const attempts: Record<string, (index: number) => Promise<unknown>> = {
      commit: publishNext,
      append: () => appendNext(),
      createTopics: (index) => queue.createTopics([{ name: `new-${index}`, partitions: 64 }]),
      openWriter: (index) => queue.openWriter({ id: `${index}`.padStart(2_000, 'new '), claim: 'new' }),
    }
    const places = Object.keys(attempts)
    const plan = planFaults('full disk, pages', { once: 8, scaled: 80, full: 400 }, places)
    for (let round = 0; round < plan.count; round++) {
      const place = places[round % places.length]!
      await queue.close()
      rmSync(folder, { recursive: true })
      await openCopy()
      allowPages(storage, plan.random.integer(10))
      const error = await untilRefused((index) => attempts[place]!(index))
      expectSaysFull(place === 'commit' ? causeOf(error) : error, folder)
      const content = await readDiskQueue(queue)
      expectWhole(content)
      allowPages(storage, 1_000)
      await publishNext()
      await appendNext()
      const after = await readDiskQueue(queue)
      expectWhole(after)
      expect(after.unit).toBe(content.unit + 1)
      expect(after.appended).toHaveLength(content.appended.length + 1)
      expectSoundFile(folder)
      plan.hit(place)
    }
    plan.expectAllHit()
  })

  it('accepts new records again after old ones are deleted', async () => {
    allowPages(storage, 100)
    await untilRefused(() => appendNext(100_000))
    const [before] = await queue.describe(['appended'])
    const { end } = before!.partitions[0]!
    await queue.deleteBefore('appended', 0, end / 2n)
    for (let offset = end; offset < end + end / 4n; offset++) await appendNext(100_000)
    const { batches } = await queue.read({ topic: 'appended', partition: 0, offset: end / 2n }, { maxBytes: 1 << 30 })
    const offsets = batches.flatMap((batch) => Array.from(batch.records(), ({ value }) => Number(Buffer.from(value!))))
    expect(offsets).toEqual(Array.from({ length: offsets.length }, (_, index) => Number(end / 2n) + index))
    expectSoundFile(folder)
  })

  it('allows a compaction, which needs no page, and keeps the newest record of each key', async () => {
    await queue.createTopics([{ name: 'many', cleanup: 'compact' }])
    for (let index = 0; index < 40; index++) {
      const key = Buffer.from(`${index % 30}`)
      await queue.append([{ topic: 'many', ...record(`${index}`, 2_000), key }])
    }
    const close = new AbortController()
    const engine = await openEngine({ directory: folder, create: false }, close.signal)
    const settings = { ...defaultCompaction, now: () => Date.now() + compactionLagMs }
    allowPages(engine.storage, 0)
    await compactPartition(engine, engine.topics.partition('many', 0), settings)
    await expectNewest()
    expect(await readPartition(queue, 'many')).toHaveLength(30)
    close.abort()
    engine.storage.database.close()
    expectSoundFile(folder)
  })

  async function openCopy(): Promise<void> {
    folder = mkdtempSync(join(directory, 'pages-'))
    cpSync(preparedFolder, folder, { recursive: true })
    queue = await openQueue(`embedded:${folder}`)
    storage = storages.at(-1)!
    writer = await queue.openWriter({ id: 'units', claim: 'run' })
  }

  async function expectNewest(): Promise<void> {
    for (let index = 10; index < 40; index++) {
      const newest = await queue.latest('many', 0, Buffer.from(`${index % 30}`))
      expect(Buffer.from(newest!.value!).toString()).toBe(`${index}`)
    }
  }

  async function publishNext(): Promise<void> {
    const transaction = writer.begin()
    for (const record of diskUnit((await readCheckpoint(queue, 'units')) + 1)) transaction.send(record)
    try {
      await transaction.commit()
    } catch (error) {
      await transaction.abort()
      throw error
    }
  }

  async function appendNext(padding = 1_000): Promise<void> {
    const [topic] = await queue.describe(['appended'])
    await queue.append([{ topic: 'appended', ...record(`${topic!.partitions[0]!.end}`, padding) }])
  }
})

function allowPages({ database }: Storage, more: number): void {
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
  database.exec(`PRAGMA max_page_count = ${pages + more}`)
}

async function untilRefused(attempt: (index: number) => Promise<unknown>): Promise<unknown> {
  for (let index = 0; ; index++) {
    try {
      await attempt(index)
    } catch (error) {
      return error
    }
  }
}

function causeOf(error: unknown): unknown {
  expect(error).toBeInstanceOf(TransactionAbortedError)
  return (error as Error).cause
}

function expectSaysFull(error: unknown, folder: string): void {
  expect(error).toBeInstanceOf(QueueUnavailableError)
  expect((error as Error).message).toBe(`The disk of ${join(folder, 'queue.db')} is full: make room.`)
}

/** Expects every unit, every appended record and every record not deleted exactly once, and the newest of the key. */
function expectWhole({ unit, values, appended, earliest, old, newest }: DiskQueueContent): void {
  expect(unit).toBeGreaterThanOrEqual(firstUnits - 1)
  expect(values).toEqual(dataTopics('units').map(() => valuesUpTo(unit)))
  expect(appended).toEqual(appended.map((_, index) => `${index}`))
  expect(old).toEqual(Array.from({ length: oldRecords - earliest }, (_, index) => `${earliest + index}`))
  expect(newest).toBe(`${keyRecords - 1}`)
}

/** With free space again, a new run of the same writer repeats the refused operations. */
async function expectContinues(folder: string, content: DiskQueueContent): Promise<void> {
  const queue = await openQueue(`embedded:${folder}`)
  expect(await readDiskQueue(queue)).toEqual(content)
  await publishUnits({ queue, series: 'units', upTo: content.unit + 4, onStep: async () => {} })
  await queue.append([{ topic: 'appended', ...record(`${content.appended.length}`, 100_000) }])
  await queue.createTopics([{ name: 'later' }])
  await queue.deleteBefore('old', 0, BigInt(content.earliest + 1))
  const after = await readDiskQueue(queue)
  expectWhole(after)
  expect(after).toMatchObject({ unit: content.unit + 4, earliest: content.earliest + 1 })
  expect(after.appended).toHaveLength(content.appended.length + 1)
  await queue.close()
  expect(readdirSync(folder)).toEqual(['queue.db'])
  expectSoundFile(folder)
}

/** A queue that could not be created for lack of space is created after space is freed. */
async function expectOpensLater(folder: string, kibibytes: number): Promise<void> {
  mkdirSync(folder)
  const { code, stderr } = await runLimited('open-and-append.ts', [`embedded:${folder}`], kibibytes)
  expect(code, `making a queue in ${kibibytes} KiB`).not.toBe(0)
  expect(stderr).toMatch(/QueueUnavailableError: .*disk (of .* )?is full/)
  expect(stderr).toContain(join(folder, 'queue.db'))
  const queue = await openQueue(`embedded:${folder}`)
  await queue.createTopics([{ name: 'opened', partitions: 2 }])
  await queue.append([{ topic: 'opened', ...record('later', 0) }])
  expect(await readPartition(queue, 'opened')).toEqual(['later'])
  await queue.close()
  expectSoundFile(folder)
}

function expectSoundFile(folder: string): void {
  const database = new DatabaseSync(join(folder, 'queue.db'), { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
}

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program whose files are limited to a size in KiB. Node ignores the signal that comes with the error. */
function runLimited(program: string, args: readonly string[], kibibytes: number): Promise<Ended> {
  const path = fileURLToPath(new URL(`../programs/${program}`, import.meta.url))
  const command = `ulimit -f ${kibibytes}; exec "$@"`
  const node = [process.execPath, '--conditions=@headrace/source', path, ...args]
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', command, 'bash', ...node], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })
}
