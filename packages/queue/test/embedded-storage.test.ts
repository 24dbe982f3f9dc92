import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { DamagedBatchError, type NewRecord, openQueue, type Queue, QueueUnavailableError } from '@headrace/queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let directory: string
let queue: Queue

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  queue = await openQueue(`embedded:${directory}`)
  await queue.createTopics([{ name: 'data' }])
})
afterEach(async () => {
  await queue.close()
  rmSync(directory, { recursive: true })
})

describe('the folder of an embedded queue', () => {
  it('contains all committed records when the queue is opened again', async () => {
    const before = await queue.describe()
    await queue.append([text('a')])
    await queue.close()
    queue = await openQueue(`embedded:${directory}`)
    expect(await queue.describe()).toEqual([{ ...before[0], partitions: [{ earliest: 0n, end: 1n }] }])
    expect(await readTexts(0n)).toEqual(['a'])
  })

  it('contains only the database file while no process has it open', async () => {
    await queue.append([text('a')])
    await queue.close()
    expect(readdirSync(directory)).toEqual(['queue.db'])
  })

  it.each([
    ['not a database', (file: string) => writeFileSync(file, 'something else '.repeat(100))],
    ['a database of another program', (file: string) => execute(file, 'CREATE TABLE t (x)')],
  ])('is refused if its file is %s', async (_, make) => {
    const folder = join(directory, 'foreign')
    mkdirSync(folder)
    make(join(folder, 'queue.db'))
    await expect(openQueue(`embedded:${folder}`)).rejects.toThrow(
      expect.objectContaining({ code: 'unsupported_storage', message: expect.stringContaining(folder) }),
    )
  })

  it('is refused, and not changed, if a later version wrote its file', async () => {
    await queue.close()
    const file = join(directory, 'queue.db')
    execute(file, 'PRAGMA user_version = 4')
    const before = readFileSync(file)
    const refusal = { code: 'unsupported_storage', message: expect.stringMatching(/version 4 .* version 3/) }
    await expect(openQueue(`embedded:${directory}`)).rejects.toMatchObject(refusal)
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(directory)).toEqual(['queue.db'])
  })

  it('is not changed if it has no queue and none may be created', async () => {
    const empty = join(directory, 'empty')
    await expect(openQueue(`embedded:${empty}`, { create: false })).rejects.toMatchObject({ code: 'queue_not_found' })
    expect(existsSync(empty)).toBe(false)
  })

  it('is refused if it cannot be created', async () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    for (const folder of [join(file, 'folder'), '/proc/headrace/folder'])
      await expect(openQueue(`embedded:${folder}`)).rejects.toMatchObject({ code: 'permission_denied' })
  })
})

describe('a damaged batch', () => {
  beforeEach(async () => {
    for (const one of ['a', 'b', 'c', 'd']) await queue.append([text(one), text(`${one} again`)])
  })

  it.each([
    ['a byte of its records', (bytes: Buffer) => bytes.fill(0xff, bytes.length - 1)],
    ['its offset', (bytes: Buffer) => bytes.fill(1, 0, 1)],
    ['its length', (bytes: Buffer) => bytes.fill(0, 11, 12)],
    ['its format version', (bytes: Buffer) => bytes.fill(1, 16, 17)],
    ['its end', (bytes: Buffer) => bytes.subarray(0, 70)],
  ])(
    'is never served if %s has changed: a read returns the batches before it, and the next one names its place',
    async (_, damage) => {
      changeThird(damage)
      const before = await queue.read({ topic: 'data', partition: 0, offset: 0n }, { maxBytes: 1 << 20 })
      expect(before.batches.flatMap((batch) => [...batch.records()]).map(textOf)).toEqual([
        'a',
        'a again',
        'b',
        'b again',
      ])
      expect(before.next).toBe(4n)
      for (const offset of [4n, 5n]) {
        const damaged = queue.read({ topic: 'data', partition: 0, offset }, { maxBytes: 1 << 20 })
        await expect(damaged).rejects.toThrow(DamagedBatchError)
        await expect(damaged).rejects.toThrow(/offset 4 of "data" partition 0/)
      }
      expect(await readTexts(6n)).toEqual(['d', 'd again'])
    },
  )

  function changeThird(how: (bytes: Buffer) => Buffer): void {
    const database = new DatabaseSync(join(directory, 'queue.db'))
    const { bytes } = database.prepare('SELECT bytes FROM bytes WHERE id = 3').get() as { bytes: Uint8Array }
    database.prepare('UPDATE bytes SET bytes = ? WHERE id = 3').run(how(Buffer.from(bytes)))
    database.close()
  }
})

describe('a transaction larger than its memory limit', () => {
  const value = Buffer.alloc(1 << 20)

  it('is committed completely and in order', async () => {
    const transaction = await begin()
    for (let index = 0; index < 90; index++) {
      value.writeInt32BE(index)
      transaction.send({ topic: 'data', key: null, value, time: index })
    }
    await transaction.commit()
    const indexes: number[] = []
    for (let offset = 0n; offset < 90n; ) {
      const { batches, next } = await queue.read({ topic: 'data', partition: 0, offset }, { maxBytes: 8 << 20 })
      for (const batch of batches)
        for (const record of batch.records()) indexes.push(Buffer.from(record.value!).readInt32BE())
      offset = next
    }
    expect(indexes).toEqual(Array.from({ length: 90 }, (_, index) => index))
  })

  it('leaves no record and no file behind when it is aborted', async () => {
    const transaction = await begin()
    for (let index = 0; index < 90; index++) transaction.send({ topic: 'data', key: null, value, time: index })
    await transaction.abort()
    await queue.append([text('after')])
    expect(await readTexts(0n)).toEqual(['after'])
    expect(readdirSync(directory).filter((name) => !name.startsWith('queue.db'))).toEqual([])
  })

  async function begin() {
    return (await queue.openWriter({ id: 'large', claim: 'one' })).begin()
  }
})

describe('a queue whose lock another process holds', () => {
  it('continues to read, does not block the thread, and writes in order when the lock is free', async () => {
    await queue.append([text('before')])
    const other = new DatabaseSync(join(directory, 'queue.db'))
    other.exec('BEGIN IMMEDIATE')
    const appended = [queue.append([text('first')]), queue.append([text('second')])]
    await delay(200)
    expect(await readTexts(0n)).toEqual(['before'])
    other.exec('COMMIT')
    other.close()
    await Promise.all(appended)
    expect(await readTexts(0n)).toEqual(['before', 'first', 'second'])
  })
})

describe('deleteBefore', () => {
  it('removes the stored batches, and the next offset stays the same', async () => {
    for (let index = 0; index < 600; index++) await queue.append([text(`${index}`)])
    for (const [offset, left] of [
      [550n, 50],
      [600n, 0],
    ] as const) {
      await queue.deleteBefore('data', 0, offset)
      const database = new DatabaseSync(join(directory, 'queue.db'), { readOnly: true })
      expect(database.prepare('SELECT count(*) AS left FROM bytes').get()).toEqual({ left })
      database.close()
    }
    await queue.append([text('next')])
    expect(await readTexts(600n)).toEqual(['next'])
  })
})

describe('concurrent calls', () => {
  it('do not affect each other', async () => {
    const appended = Array.from({ length: 10 }, (_, index) => queue.append([text(`${index}`)]))
    const read: Promise<unknown>[] = []
    for (let turn = 0; turn < 100; turn++) {
      read.push(queue.describe())
      await Promise.resolve()
    }
    await Promise.all([...appended, ...read])
    expect(await readTexts(0n)).toEqual(Array.from({ length: 10 }, (_, index) => `${index}`))
  })
})

describe('a closed queue', () => {
  it('refuses every call', async () => {
    await queue.close()
    for (const call of [
      () => queue.createTopics([{ name: 'other' }]),
      () => queue.describe(),
      () => queue.openWriter({ id: 'w', claim: 'c' }),
      () => queue.append([text('a')]),
      () => queue.read({ topic: 'data', partition: 0, offset: 0n }, { maxBytes: 1 }),
      () => queue.latest('data', 0, Buffer.from('key')),
      () => queue.offsetForTime('data', 0, 0),
      () => queue.deleteBefore('data', 0, 0n),
    ]) {
      await expect(call()).rejects.toThrow(QueueUnavailableError)
    }
  })

  it('has ended transactions, follow and waiting reads', async () => {
    const writer = await queue.openWriter({ id: 'w', claim: 'c' })
    writer.begin().send(text('open'))
    const followed = queue.follow([{ topic: 'data', partition: 0, offset: 0n }], new AbortController())
    const next = followed[Symbol.asyncIterator]().next()
    const waiting = queue.read({ topic: 'data', partition: 0, offset: 0n }, { maxBytes: 1, maxWaitMs: 30_000 })
    const refused = expect(waiting).rejects.toThrow(QueueUnavailableError)
    await queue.close()
    await refused
    expect(await next).toEqual({ done: true, value: undefined })
    expect(() => writer.begin()).toThrow(TypeError)
    await queue.close()
  })

  it('does not finish a commit that still waits for the lock', async () => {
    const writer = await queue.openWriter({ id: 'w', claim: 'c' })
    const transaction = writer.begin()
    transaction.send(text('never'))
    const other = new DatabaseSync(join(directory, 'queue.db'))
    other.exec('BEGIN IMMEDIATE')
    const refused = expect(transaction.commit()).rejects.toThrow(
      expect.objectContaining({ code: 'transaction_aborted' }),
    )
    await delay(100)
    await queue.close()
    other.exec('COMMIT')
    other.close()
    await refused
    queue = await openQueue(`embedded:${directory}`)
    expect(await readTexts(0n)).toEqual([])
  })
})

function text(value: string): NewRecord {
  return { topic: 'data', key: null, value: Buffer.from(value), time: 1 }
}

function textOf({ value }: { value: Uint8Array | null }): string {
  return Buffer.from(value!).toString()
}

async function readTexts(offset: bigint): Promise<string[]> {
  const { batches } = await queue.read({ topic: 'data', partition: 0, offset }, { maxBytes: 1 << 20 })
  return batches.flatMap((batch) => [...batch.records()]).map(textOf)
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
