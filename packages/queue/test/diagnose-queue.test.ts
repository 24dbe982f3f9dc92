import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  DamagedBatchError,
  diagnoseQueue,
  type Finding,
  openQueue,
  PositionLostError,
  type Queue,
} from '@headrace/queue'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BatchRows, createBatchRows, endRow } from '../src/embedded/storage/batch-rows.ts'
import type { Partition } from '../src/embedded/storage/topic-rows.ts'
import { compact, compareQueue, createExampleQueue, type ExpectedPartition } from './faults/known-queue.ts'

const newestRow = 'WHERE id = (SELECT max(id) FROM batches WHERE key IS NOT NULL)'

let made: string
let expected: ExpectedPartition[]
let directory: string
let file: string

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  expected = await createExampleQueue(made)
})
afterAll(() => rmSync(made, { recursive: true }))
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  file = join(directory, 'queue.db')
  cpSync(made, directory, { recursive: true })
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('the diagnosis of an embedded queue', () => {
  it('finds nothing in an undamaged queue, also while another process writes', async () => {
    expect(await diagnose()).toEqual([])
    const queue = await openQueue(`embedded:${directory}`)
    const writing = new AbortController()
    const written = (async () => {
      for (let time = 0; !writing.signal.aborted; time++) {
        const value = Buffer.alloc(5_000)
        await queue.append([{ topic: 'blocks', partition: time % 2, key: null, value, time }])
        if (time % 20 === 0) await queue.deleteBefore('blocks', 0, 10n + BigInt(time / 2))
      }
    })()
    for (let round = 0; round < 3; round++) expect(await diagnose()).toEqual([])
    writing.abort()
    await written
    await queue.close()
  })

  it('reports that there is no queue, and creates none', async () => {
    const nowhere = join(directory, 'nowhere')
    expect(await diagnose({ repair: true }, nowhere)).toMatchObject([{ severity: 'error', code: 'queue_not_found' }])
    expect(existsSync(nowhere)).toBe(false)
  })

  it('changes nothing without the repair option', async () => {
    execute('UPDATE batches SET max_time = max_time + 1')
    const before = contentOf(file)
    expect(await diagnose()).not.toEqual([])
    expect(contentOf(file) === before).toBe(true)
  })

  it('ends when its signal is aborted', async () => {
    const findings = diagnoseQueue(`embedded:${directory}`, { signal: AbortSignal.abort(new Error('enough')) })
    await expect(findings.next()).rejects.toThrow('enough')
  })
})

describe('a repair of an embedded queue', () => {
  it('does not change an undamaged queue', async () => {
    const before = contentOf(file)
    expect(await diagnose({ repair: true })).toEqual([])
    expect(contentOf(file) === before).toBe(true)
    expect(readdirSync(directory)).toEqual(['queue.db'])
  })

  it.each<[string, (rows: BatchRows, partition: Partition) => void, string]>([
    [
      'a row of a batch overlaps the previous one',
      (rows, partition) => rows.insert(partition, { ...rows.atOrBefore(partition, 500)!, baseOffset: 501, bytesId: 0 }),
      'damaged_batch',
    ],
    [
      'an end is that of an earlier commit',
      (rows, partition) => rows.update(partition, endRow(earlierEnd)),
      'damaged_end',
    ],
  ])('loses nothing if %s', async (_, damage, code) => {
    const database = new DatabaseSync(file)
    const partition = { id: 3, topic: 'transactions', partition: 0, cleanup: 'delete' } as const
    damage(createBatchRows({ database, file }), partition)
    database.close()
    expect(await diagnose()).toContainEqual(expect.objectContaining({ code, severity: 'error' }))
    expect((await diagnose({ repair: true })).filter(({ repaired }) => !repaired)).toEqual([])
    expect(await diagnose()).toEqual([])
    await expectAsBefore()
  })

  it.each([
    ['all rows of batches have changed', 'UPDATE batches SET superseded_by = 7 WHERE bytes_id > 0', 'damaged_batch'],
    ['a row of a batch is missing', 'DELETE FROM batches WHERE bytes_id = 10', 'missing_batch'],
    [
      'the row of the newest record of a key has changed',
      `UPDATE batches SET key = NULL ${newestRow}`,
      'damaged_batch',
    ],
    ['the row of the newest record of a key is missing', `DELETE FROM batches ${newestRow}`, 'missing_batch'],
    ['the row of a writer has changed', "UPDATE writers SET claim = 'other'", 'damaged_writer'],
    ['the partitions next to bytes have changed', 'UPDATE bytes SET partition = partition + 1', 'damaged_batch'],
    ['the checksums next to bytes have changed', 'UPDATE bytes SET checksum = 7 WHERE id > 9', 'damaged_batch'],
    ['a row of partitions has changed', 'UPDATE partitions SET topic = 2 WHERE id = 4', 'damaged_storage'],
    ['a row of partitions is missing', 'DELETE FROM partitions WHERE id = 1', 'damaged_storage'],
    ['the last row of partitions is missing', 'DELETE FROM partitions WHERE id = 5', 'damaged_storage'],
  ])('loses nothing if %s', async (_, damage, code) => {
    execute(damage)
    expect(await diagnose()).toContainEqual(expect.objectContaining({ code, severity: 'error', repaired: false }))
    const found = await diagnose({ repair: true })
    expect(found).toContainEqual(expect.objectContaining({ code, repaired: true }))
    expect(found.filter(({ repaired }) => !repaired)).toEqual([])
    expect(await diagnose()).toEqual([])
    await expectAsBefore()
  })

  it('keeps the damaged file, and reports its name', async () => {
    execute('DELETE FROM batches WHERE bytes_id = 10')
    const before = contentOf(file)
    const found = await diagnose({ repair: true })
    expect(found.find(({ code }) => code === 'damaged_file_kept')!.message).toContain(`${file}.damaged-1`)
    expect(contentOf(`${file}.damaged-1`) === before).toBe(true)
    expect(readdirSync(directory).toSorted()).toEqual(['queue.db', 'queue.db.damaged-1'])
  })

  it('stores which records are lost: a reader gets position_lost there and can continue after them', async () => {
    changeBytesOf(12n)
    const [damaged] = await diagnose()
    expect(damaged).toMatchObject({ code: 'damaged_batch', place: 'offset 12 of "blocks" partition 0' })
    const found = await diagnose({ repair: true })
    expect(found.map(({ code, repaired }) => [code, repaired])).toEqual([
      ['lost_records', false],
      ['damaged_batch', true],
      ['damaged_file_kept', true],
    ])
    expect(found[0]!.lost).toEqual({ topic: 'blocks', partition: 0, first: '12', last: '12' })
    expect(await diagnose({ repair: true })).toMatchObject([{ code: 'lost_records', severity: 'warning' }])
    const queue = await openQueue(`embedded:${directory}`)
    const lost = queue.read({ topic: 'blocks', partition: 0, offset: 12n }, { maxBytes: 1 })
    await expect(lost).rejects.toThrow(PositionLostError)
    await expect(lost).rejects.toMatchObject({ earliest: 13n })
    expect(await queue.read({ topic: 'blocks', partition: 0, offset: 13n }, { maxBytes: 1 })).toMatchObject({
      next: 14n,
    })
    await queue.close()
  })

  it('loses only the records on the last pages of a truncated file', async () => {
    truncateSync(file, statSync(file).size - 16_384)
    expect(await diagnose()).toMatchObject([{ code: 'damaged_storage', severity: 'error' }])
    const found = await diagnose({ repair: true })
    expect(found.map(({ code, lost }) => [code, lost])).toEqual([
      ['lost_records', { topic: 'transactions', partition: 0, first: expect.any(String), last: expect.any(String) }],
      ['damaged_storage', undefined],
      ['damaged_file_kept', undefined],
    ])
    expect(await diagnose()).toMatchObject([{ code: 'lost_records' }])
  })

  it('reports lost records before it changes the file: a caller that stops the repair then keeps the damaged file', async () => {
    changeBytesOf(12n)
    const before = contentOf(file)
    for await (const { code } of diagnoseQueue(`embedded:${directory}`, { repair: true })) {
      expect(code).toBe('lost_records')
      break
    }
    expect(contentOf(file) === before).toBe(true)
    expect(readdirSync(directory)).toEqual(['queue.db'])
    expect(await diagnose()).toMatchObject([{ code: 'damaged_batch' }])
  })

  it('restores every batch if the start of a partition cannot be determined, and reports that', async () => {
    execute('UPDATE partitions SET earliest = 3 WHERE id = 2')
    expect(await diagnose()).toMatchObject([{ code: 'damaged_storage', severity: 'error' }])
    const [lost, ...found] = await diagnose({ repair: true })
    expect(lost).toMatchObject({
      code: 'lost_records',
      message: expect.stringMatching(/^The records of the offsets 0 to 6 are lost, unless retention had removed them/),
      lost: { topic: 'blocks', partition: 1, first: '0', last: '6' },
    })
    expect(found).toMatchObject([{ code: 'damaged_storage', repaired: true }, { code: 'damaged_file_kept' }])
    expect(await diagnose()).toMatchObject([{ code: 'lost_records', lost: lost!.lost }])
    const queue = await openQueue(`embedded:${directory}`)
    const read = (offset: bigint) => queue.read({ topic: 'blocks', partition: 1, offset }, { maxBytes: 1 })
    await expect(read(0n)).rejects.toMatchObject({ code: 'position_lost', earliest: 7n })
    expect(await read(7n)).toMatchObject({ next: 8n, end: 30n })
    await queue.close()
  })

  it('gives a topic a new id if the end of a partition is not certain', async () => {
    const before = await topicIds()
    execute(
      'UPDATE batches SET last_offset = 3 WHERE bytes_id = 0 AND id = (SELECT max(id) FROM batches WHERE id < 2 << 43)',
    )
    expect(await diagnose()).toMatchObject([{ code: 'damaged_end', place: '"blocks" partition 0' }])
    expect((await diagnose({ repair: true }))[0]!.lost).toEqual({ topic: 'blocks', partition: 0, first: '30' })
    const after = await topicIds()
    expect(after.get('blocks')).not.toBe(before.get('blocks'))
    expect(after.get('transactions')).toBe(before.get('transactions'))
    await expectAsBefore()
  })

  it('ignores rows of partitions with ids that no batch can have', async () => {
    for (const id of [2 ** 20, 2 ** 40]) execute(`INSERT INTO partitions VALUES (${id}, 1, 0, 0, 0)`)
    expect(await diagnose({ repair: true })).toMatchObject([
      { code: 'damaged_storage', repaired: true },
      { code: 'damaged_file_kept' },
    ])
    expect(await diagnose()).toEqual([])
    await expectAsBefore()
  })

  it('is refused while another process has the queue open', async () => {
    execute('DELETE FROM batches WHERE bytes_id = 10')
    const queue = await openQueue(`embedded:${directory}`)
    const before = contentOf(file)
    expect(await diagnose({ repair: true })).toMatchObject([
      { code: 'missing_batch', repaired: false },
      { code: 'leftover_bytes', repaired: false },
      { code: 'queue_unavailable', message: expect.stringContaining('Stop it first') },
    ])
    await queue.close()
    expect(contentOf(file) === before).toBe(true)
    expect(readdirSync(directory)).toEqual(['queue.db'])
  })

  it.each([
    ['the set of topics cannot be determined', () => execute('UPDATE topics SET uid = 1'), 'damaged_storage'],
    ['the row of the last topic is missing', () => execute('DELETE FROM topics WHERE id = 4'), 'damaged_storage'],
    ['the rows of the last topics are missing', () => execute('DELETE FROM topics WHERE id > 2'), 'damaged_storage'],
    ['the rows of all partitions are missing', () => execute('DELETE FROM partitions'), 'damaged_storage'],
    [
      'the last rows of topics and partitions are missing',
      () => {
        execute('DELETE FROM topics WHERE id = 4')
        execute('DELETE FROM partitions WHERE id = 5')
      },
      'damaged_storage',
    ],
    ['the file is not a database', () => writeFileSync(file, 'something else '.repeat(100)), 'unsupported_storage'],
  ])('does not change the file if %s', async (_, damage, code) => {
    damage()
    const before = contentOf(file)
    const found = await diagnose({ repair: true })
    expect(found.at(-1)).toMatchObject({
      code,
      severity: 'error',
      repaired: false,
      remedy: expect.stringMatching(/^Restore the file from a copy/),
    })
    expect(contentOf(file) === before).toBe(true)
    expect(readdirSync(directory)).toEqual(['queue.db'])
  })
})

describe('an index of keys that lacks records', () => {
  it('makes latest throw instead of returning an older record or none, until a repair', async () => {
    await appendWithoutIndex(['newest', 'only once'])
    const damaged = await openQueue(`embedded:${directory}`)
    for (const key of ['newest', 'only once']) {
      await expect(damaged.latest('checkpoints', 0, Buffer.from(key))).rejects.toThrow(DamagedBatchError)
    }
    await damaged.append([checkpoint('newest', 'after the damage')])
    expect(await latestText(damaged, 'newest')).toBe('after the damage')
    await damaged.close()
    expect(await diagnose()).toMatchObject([{ code: 'damaged_pages', severity: 'error' }])
    expect(await diagnose({ repair: true })).toMatchObject([
      { code: 'damaged_pages', repaired: true },
      { code: 'damaged_file_kept' },
    ])
    const repaired = await openQueue(`embedded:${directory}`)
    expect(await latestText(repaired, 'newest')).toBe('after the damage')
    expect(await latestText(repaired, 'only once')).toBe('not in the index')
    await repaired.close()
    await compact(directory, 'checkpoints')
    expect(await diagnose()).toEqual([])
  })
})

describe('a missing row of a compacted topic', () => {
  it('makes latest throw for each key that no other row has', async () => {
    execute(`DELETE FROM batches ${newestRow}`)
    const queue = await openQueue(`embedded:${directory}`)
    expect(await queue.latest('checkpoints', 0, Buffer.from('newest'))).toBeDefined()
    const absent = queue.latest('checkpoints', 0, Buffer.from('absent'))
    await expect(absent).rejects.toThrow(/its row is missing/)
    await queue.close()
  })
})

const earlierEnd = { end: 1_000, maxTime: 1_040 }

async function diagnose(options: { repair?: boolean } = {}, folder = directory): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of diagnoseQueue(`embedded:${folder}`, options)) findings.push(finding)
  return findings
}

async function expectAsBefore(): Promise<void> {
  const queue = await openQueue(`embedded:${directory}`)
  expect(await compareQueue(queue, expected, false)).toEqual({ errors: [], differences: [] })
  const writer = await queue.openWriter({ id: 'writer', claim: 'another' })
  const transaction = writer.begin()
  transaction.send({ topic: 'blocks', partition: 0, key: null, value: Buffer.from('after'), time: 5_000 })
  await transaction.commit()
  await queue.close()
}

async function topicIds(): Promise<Map<string, string>> {
  const queue = await openQueue(`embedded:${directory}`)
  const topics = await queue.describe()
  await queue.close()
  return new Map(topics.map(({ name, id }) => [name, id]))
}

/** Changes the batch of an offset in the first partition of `blocks`. */
function changeBytesOf(offset: bigint): void {
  const database = new DatabaseSync(file)
  const row = database.prepare('SELECT bytes_id AS id FROM batches WHERE id = ?').get((1n << 43n) + offset)
  const { id } = row as { id: number }
  const { bytes } = database.prepare('SELECT bytes FROM bytes WHERE id = ?').get(id) as { bytes: Uint8Array }
  bytes[bytes.length - 1]! ^= 1
  database.prepare('UPDATE bytes SET bytes = ? WHERE id = ?').run(bytes, id)
  database.close()
}

function checkpoint(key: string, value: string) {
  return { topic: 'checkpoints', key: Buffer.from(key), value: Buffer.from(value), time: 5_000 }
}

async function latestText(queue: Queue, key: string): Promise<string> {
  return Buffer.from((await queue.latest('checkpoints', 0, Buffer.from(key)))!.value!).toString()
}

/** Appends a record of each key while the file seems to have no index, and then restores the index as it was. */
async function appendWithoutIndex(keys: readonly string[]): Promise<void> {
  const index = changeSchema((database) => {
    const row = database.prepare("SELECT * FROM sqlite_schema WHERE name = 'records_by_key'").get()!
    database.exec("DELETE FROM sqlite_schema WHERE name = 'records_by_key'")
    return row
  })
  const queue = await openQueue(`embedded:${directory}`)
  await queue.append(keys.map((key) => checkpoint(key, 'not in the index')))
  await queue.close()
  changeSchema((database) => {
    database.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)').run(...Object.values(index))
  })
}

function changeSchema<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { defensive: false })
  database.exec('PRAGMA writable_schema = ON')
  const result = work(database)
  database.close()
  return result
}

/** The content of a file without SQLite's header, which changes each time the file is opened. */
function contentOf(path: string): string {
  return readFileSync(path).toString('latin1', 100)
}

function execute(sql: string): void {
  const database = new DatabaseSync(file)
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
  database.close()
}
