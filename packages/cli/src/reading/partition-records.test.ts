import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OffsetRange, openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBackward, readForward } from './partition-records.ts'

const numbers = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const topic = 'acme.shop.1_0_0.shop_Order'
let folder: string
let queue: Queue
let range: OffsetRange
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-reading-'))
  queue = await openQueue(`embedded:${folder}`)
  await queue.createTopics([{ name: topic }])
  await queue.append(numbers.map((n) => ({ topic, key: null, value: Buffer.from(n), time: Number(n) })))
  const [description] = await queue.describe([topic])
  const { earliest: from, end: to } = description!.partitions[0]!
  range = { topic, topicId: description!.id, partition: 0, from, to }
})
afterAll(async () => {
  await queue.close()
  await rm(folder, { recursive: true })
})

/** A queue that returns nothing to a reader that does not wait, as a broker that throttles does. */
const throttling = (): Queue => ({
  ...queue,
  async read(at, limits) {
    if (limits.maxWaitMs) return queue.read(at, limits)
    return { batches: [], next: at.offset, end: (await queue.read(at, limits)).end }
  },
})

test.each([
  ['forward', readForward],
  ['backward', readBackward],
])('a range is read %s to its end, even if a broker answers without records first', async (_, read) => {
  const values: string[] = []
  for await (const records of read(throttling(), range))
    for (const { value } of records) values.push(Buffer.from(value!).toString())
  expect(values.sort()).toEqual(numbers)
})

test('a range that the partition does not have is an error, not a shorter range', async () => {
  const read = async (wanted: OffsetRange) => {
    for await (const _ of readForward(queue, wanted));
  }
  await expect(read({ ...range, to: range.to + 1n })).rejects.toMatchObject({ code: 'position_lost' })
  await expect(read({ ...range, topicId: 'another' })).rejects.toMatchObject({ code: 'position_lost' })
})
