import { afterEach, beforeEach, expect, it } from 'vitest'
import { followTable, type NewRecord, type Queue, UnknownTopicError } from '../src/index.ts'
import { createFakeCluster, type FakeCluster } from './fake-kafka/fake-cluster.ts'
import { record, uniqueName } from './kafka-fixture.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
let cluster: FakeCluster
let queue: Queue
let topic: string
let ending: AbortController
let changes: unknown[]

beforeEach(async () => {
  cluster = createFakeCluster()
  queue = await cluster.openQueue()
  topic = uniqueName('table')
  ending = new AbortController()
  changes = []
  await queue.createTopics([{ name: topic, cleanup: 'compact' }])
})
afterEach(async () => {
  ending.abort()
  await queue.close()
})

function follow(): Promise<ReadonlyMap<string, string>> {
  return followTable(queue, {
    topic,
    signal: ending.signal,
    log: silent,
    decode({ value }) {
      const text = Buffer.from(value!).toString()
      if (text === 'unreadable') throw new Error('a record that cannot be read')
      return text
    },
    onChange: (...change) => void changes.push(change),
  })
}

function entry(key: string, value: string | null): NewRecord {
  return { ...record(topic, ''), key: Buffer.from(key), value: value === null ? null : Buffer.from(value) }
}

it('a table has the records committed before the call, and then later ones', async () => {
  await queue.append([entry('a', 'one'), entry('b', 'two'), entry('a', 'three'), entry('b', null)])
  const table = await follow()
  expect([...table]).toEqual([['a', 'three']])
  await queue.append([entry('c', 'four'), entry('a', null), entry('a', null)])
  await expect.poll(() => [...table]).toEqual([['c', 'four']])
  expect(changes).toEqual([
    ['a', 'one', undefined],
    ['b', 'two', undefined],
    ['a', 'three', 'one'],
    ['b', undefined, 'two'],
    ['c', 'four', undefined],
    ['a', undefined, 'three'],
  ])
})

it('a table is complete even if the leader has not caught up during the read', async () => {
  await queue.append([entry('a', 'one')])
  await queue.append([entry('b', 'two')])
  cluster.partition(topic).elect({ highWatermark: 1n, requests: 2 })
  expect([...(await follow()).keys()]).toEqual(['a', 'b'])
})

it('a table is read again when the topic was deleted and created again', async () => {
  await queue.append([entry('a', 'one'), entry('b', 'two'), entry('c', 'three')])
  const table = await follow()
  cluster.deleteTopic(topic)
  cluster.createTopic(topic)
  await queue.append([entry('b', 'new'), entry('d', 'four')])
  await expect
    .poll(() => [...table].sort())
    .toEqual([
      ['b', 'new'],
      ['d', 'four'],
    ])
})

it('a table keeps its values while the topic does not exist', async () => {
  await queue.append([entry('a', 'one')])
  const table = await follow()
  cluster.deleteTopic(topic)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([...table]).toEqual([['a', 'one']])
  cluster.createTopic(topic)
  await expect.poll(() => [...table]).toEqual([])
})

it('a table keeps the previous value if a record cannot be decoded', async () => {
  await queue.append([entry('a', 'one')])
  const table = await follow()
  await queue.append([entry('a', 'unreadable'), entry('b', 'two')])
  await expect
    .poll(() => [...table])
    .toEqual([
      ['a', 'one'],
      ['b', 'two'],
    ])
})

it('a table is refused if a record cannot be decoded in the first read, or the topic does not exist', async () => {
  await queue.append([entry('a', 'unreadable')])
  await expect(follow()).rejects.toThrow('a record that cannot be read')
  topic = uniqueName('missing')
  await expect(follow()).rejects.toThrow(UnknownTopicError)
})
