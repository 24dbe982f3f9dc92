import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Chain, openChain } from '../../../server/test/shop/chain.ts'
import { runInProcess } from '../../test/command-in-process.ts'
import { readTopicContents } from './topics.ts'

const topic = 'acme.shop.1_0_0.shop_Order'
let directory: string
let queue: Queue
let chain: Chain

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headrace-topics-'))
  queue = await openQueue(`embedded:${directory}`)
  chain = await openChain(queue, { topic, partitions: 3 })
})
afterAll(async () => {
  await queue.close()
  await rm(directory, { recursive: true })
})

const list = (...args: string[]) => runInProcess(['topics', 'list', '--queue', `embedded:${directory}`, ...args])
const describeTopic = async () => (await queue.describe([topic]))[0]!

test('a topic without records is listed with 0 records and no age', async () => {
  expect(JSON.parse((await list('--json')).stdout)).toMatchObject({ topic, records: 0, newest: null })
  expect((await list()).stdout).toMatch(/^TOPIC +MESSAGE +CONNECTOR +RECORDS +NEWEST +SUCCESSOR\n.* 0 +–\n$/)
})

test('records of all partitions are counted, reverts too, and the newest is shown with its time and age', async () => {
  await chain.publish({ partitions: [0, 0, 1] })
  await chain.publish({ partitions: [1, 1], revertUnits: 1 })
  const all = chain.log.flat()
  const newest = Math.max(...all.map(({ time }) => time))
  const { stdout } = await list('--json')
  expect(JSON.parse(stdout)).toMatchObject({ records: all.length, newest: new Date(newest).toISOString() })
  expect((await list()).stdout).toMatch(new RegExp(` ${all.length} +(in )?\\d+\\w+( ago)?\n$`))
})

test('records that retention has removed are not counted', async () => {
  const before = (await readTopicContents(queue, await describeTopic())).records!
  await queue.deleteBefore(topic, 0, 2n)
  expect((await readTopicContents(queue, await describeTopic())).records).toBe(before - 2)
})

test('a long topic is counted with no more reads than a short one', async () => {
  const reads = async () => {
    const read = vi.spyOn(queue, 'read')
    await readTopicContents(queue, await describeTopic())
    const { length } = read.mock.calls
    read.mockRestore()
    return length
  }
  const short = await reads()
  for (let unit = 0; unit < 50; unit++) await chain.publish({ partitions: [0, 1, 2] })
  expect(await reads()).toBeLessThanOrEqual(short + 3)
})

test('records of other programs, which have no sequence numbers, are not counted', async () => {
  await queue.createTopics([{ name: 'foreign' }])
  await queue.append([{ topic: 'foreign', key: null, value: Buffer.from('x'), time: 7 }])
  const [foreign] = await queue.describe(['foreign'])
  expect(await readTopicContents(queue, foreign!)).toEqual({ records: null, newest: 7 })
})
