import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openQueue, type Queue, resetQueue } from '../src/index.ts'

let folder: string
let url: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-reset-'))
  url = `embedded:${folder}`
})
afterEach(() => rm(folder, { recursive: true }))

async function valuesIn(queue: Queue, topic: string): Promise<string[]> {
  const { batches } = await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 20 })
  return batches.flatMap((batch) => [...batch.records()]).map(({ value }) => Buffer.from(value!).toString())
}

async function fill(queue: Queue): Promise<void> {
  await queue.createTopics([{ name: 'data' }, { name: 'keys', cleanup: 'compact' }])
  for (const topic of ['data', 'keys'])
    await queue.append([{ topic, key: Buffer.from('k'), value: Buffer.from(`of ${topic}`), time: 1 }])
}

test('a reset copies the topics to keep, and a re-created topic has another id', async () => {
  const before = await openQueue(url)
  await fill(before)
  const [old] = await before.describe(['data'])
  await before.close()

  await resetQueue(url, { keep: ['keys', 'unknown'] })
  expect(await readdir(folder)).toEqual(['queue.db'])
  const after = await openQueue(url, { create: false })
  expect((await after.describe()).map(({ name }) => name)).toEqual(['keys'])
  expect(await valuesIn(after, 'keys')).toEqual(['of keys'])
  await after.createTopics([{ name: 'data' }])
  const position = { topic: 'data', topicId: old!.id, partition: 0, offset: 0n }
  await expect(after.read(position, { maxBytes: 1 })).rejects.toMatchObject({ code: 'position_lost' })
  await after.close()
})

test('an open queue is not reset', async () => {
  const queue = await openQueue(url)
  await fill(queue)
  await expect(resetQueue(url)).rejects.toMatchObject({ code: 'queue_unavailable' })
  expect(await valuesIn(queue, 'data')).toEqual(['of data'])
  await queue.close()
})

test('only an existing embedded queue is reset', async () => {
  await expect(resetQueue('kafka://127.0.0.1:1')).rejects.toMatchObject({ code: 'invalid_queue_url' })
  await expect(resetQueue(`${url}/none`)).rejects.toMatchObject({ code: 'queue_not_found' })
})
