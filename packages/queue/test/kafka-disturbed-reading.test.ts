import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { type OffsetRange, PositionLostError, type Queue, QueueUnavailableError, readRange } from '../src/index.ts'
import { apiKeys, createFakeCluster, type FakeCluster } from './fake-kafka/fake-cluster.ts'
import { record, uniqueName } from './kafka-fixture.ts'

const count = 8
const end = BigInt(count)

/** Disturbances of the leader of a topic during a read. None changes the committed records. */
const disturbances: readonly { readonly name: string; disturb(cluster: FakeCluster, topic: string): void }[] = [
  { name: 'undisturbed', disturb() {} },
  {
    name: 'whose new leader has an older high watermark for a while',
    disturb: (cluster, topic) => cluster.partition(topic).elect({ highWatermark: 3n, requests: 2 }),
  },
  {
    name: 'whose new leader has an empty log up to its high watermark for a while',
    disturb: (cluster, topic) => cluster.partition(topic).elect({ highWatermark: 0n, requests: 2 }),
  },
  {
    name: 'whose leader moves between the answers to ListOffsets and Fetch',
    disturb: (cluster, topic) =>
      cluster.afterNext(apiKeys.listOffsets, () => cluster.partition(topic).elect({ highWatermark: 2n, requests: 2 })),
  },
  {
    name: 'whose leader moves between two answers to Fetch',
    disturb: (cluster, topic) =>
      cluster.afterNext(apiKeys.fetch, () => cluster.partition(topic).elect({ highWatermark: 1n, requests: 2 })),
  },
  {
    name: 'whose leader throttles its clients',
    disturb: (cluster) => cluster.throttle(3, 5),
  },
]

async function readAll(queue: Queue, range: OffsetRange): Promise<void> {
  for await (const _ of readRange(queue, range));
}

describe.for(disturbances)('a topic $name', ({ disturb }) => {
  let cluster: FakeCluster
  let queue: Queue
  let topic: string

  beforeEach(async () => {
    cluster = createFakeCluster()
    queue = await cluster.openQueue()
    topic = uniqueName('disturbed')
    await queue.createTopics([{ name: topic, cleanup: 'compact' }])
    for (let index = 0; index < count; index++)
      await queue.append([record(topic, `${index}`, { key: Buffer.from(`key ${index % 4}`), time: index * 1_000 })])
    disturb(cluster, topic)
  })
  afterEach(() => queue.close())

  it('is read from each offset, and reports its end only there', async () => {
    for (let offset = 0n; offset < end; offset++) {
      const { batches, next, end: last } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 1 })
      expect(batches.map(({ baseOffset }) => baseOffset)).toEqual([offset])
      expect({ next, end: last }).toEqual({ next: offset + 1n, end })
    }
    expect(await queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 })).toMatchObject({ next: end, end })
  })

  it('reports its end after a reader has read all records', async () => {
    const at = { topic, partition: 0, offset: end }
    expect(await queue.read(at, { maxBytes: 1 })).toEqual({ batches: [], next: end, end })
    expect(await queue.read(at, { maxBytes: 1, maxWaitMs: 20 })).toEqual({ batches: [], next: end, end })
  })

  it.for(['asc', 'desc'] as const)('is read completely as a range, order %s', async (order) => {
    const read: bigint[] = []
    const range = { topic, partition: 0, from: 1n, to: end }
    for await (const batch of readRange(queue, range, { order, maxBytes: 1, firstWindow: 2n }))
      read.push(batch.baseOffset)
    const expected = [1n, 2n, 3n, 4n, 5n, 6n, 7n]
    expect(read).toEqual(order === 'asc' ? expected : expected.toReversed())
  })

  it('returns the newest record of each key', async () => {
    for (const [key, offset] of [
      [0, 4n],
      [1, 5n],
      [2, 6n],
      [3, 7n],
    ] as const)
      expect(await queue.latest(topic, 0, Buffer.from(`key ${key}`))).toMatchObject({ offset })
    expect(await queue.latest(topic, 0, Buffer.from('no key'))).toBeUndefined()
  })

  it('returns the offset of each time', async () => {
    for (let index = 0; index < count; index++) {
      expect(await queue.offsetForTime(topic, 0, index * 1_000)).toBe(BigInt(index))
      expect(await queue.offsetForTime(topic, 0, index * 1_000 - 1)).toBe(BigInt(index))
    }
    expect(await queue.offsetForTime(topic, 0, count * 1_000)).toBeUndefined()
  })

  it('returns its bounds', async () => {
    expect(await queue.highWatermark(topic, 0)).toBe(end)
    expect(await queue.describe([topic])).toMatchObject([{ partitions: [{ earliest: 0n, end }] }])
  })

  it('keeps the records after a deletion', async () => {
    await queue.deleteBefore(topic, 0, 3n)
    expect(await queue.describe([topic])).toMatchObject([{ partitions: [{ earliest: 3n, end }] }])
    await expect(queue.deleteBefore(topic, 0, end + 1n)).rejects.toThrow(PositionLostError)
  })

  it('is followed completely', async () => {
    const seen: bigint[] = []
    const stop = new AbortController()
    for await (const { baseOffset, nextOffset } of queue.follow([{ topic, partition: 0, offset: 0n }], stop)) {
      seen.push(baseOffset)
      if (nextOffset === end) stop.abort()
    }
    expect(seen).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n])
  })
})

describe('a topic', () => {
  let cluster: FakeCluster
  let queue: Queue
  let topic: string

  beforeEach(async () => {
    cluster = createFakeCluster()
    queue = await cluster.openQueue({ budgetMs: 300 })
    topic = uniqueName('disturbed')
    await queue.createTopics([{ name: topic, cleanup: 'compact' }])
    for (let index = 0; index < count; index++) await queue.append([record(topic, `${index}`, { time: index * 1_000 })])
  })
  afterEach(() => queue.close())

  it.for([
    ['read', () => queue.read({ topic, partition: 0, offset: 4n }, { maxBytes: 1 })],
    ['read at the end', () => queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 })],
    ['latest', () => queue.latest(topic, 0, Buffer.from('k'))],
    ['offsetForTime', () => queue.offsetForTime(topic, 0, 5_000)],
    ['highWatermark', () => queue.highWatermark(topic, 0)],
    ['describe', () => queue.describe([topic])],
  ] as const)('whose leader does not catch up within the budget is unavailable to %s', async ([, call]) => {
    cluster.partition(topic).elect({ highWatermark: 2n, requests: Number.POSITIVE_INFINITY })
    await expect(call()).rejects.toThrow(QueueUnavailableError)
  })

  it('whose leader throttles for longer than the budget is unavailable, and the error names the quota', async () => {
    cluster.throttle(1, 60_000)
    const reading = queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 })
    await expect(reading).rejects.toThrow(QueueUnavailableError)
    await expect(reading).rejects.toThrow(/throttles this client for 60000 ms.*consumer_byte_rate/)
  })

  it('counts in its metrics how long it was throttled', async () => {
    cluster.throttle(2, 10)
    await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 })
    const listed = readReferencePage('metrics.md').rows('Queue metrics', 'metric')
    expect(queue.metrics().map(({ name, type, help }) => [name, type, help])).toEqual(listed)
    const values = queue.metrics().map(({ name, samples }) => [name, samples()[0]!.value])
    expect(values).toEqual([
      ['headrace_queue_throttled_answers_total', 2],
      ['headrace_queue_throttled_seconds_total', 0.02],
    ])
  })

  it('whose log start moves is searched again, and returns no removed record', async () => {
    const removeSome = () => {
      cluster.partition(topic).logStart = 5n
    }
    cluster.afterNext(apiKeys.listOffsets, removeSome)
    expect(await queue.offsetForTime(topic, 0, 0)).toBe(5n)
    cluster.partition(topic).logStart = 0n
    cluster.afterNext(apiKeys.listOffsets, removeSome)
    expect(await queue.latest(topic, 0, Buffer.from('k'))).toMatchObject({ offset: 7n })
    const lost = queue.read({ topic, partition: 0, offset: 1n }, { maxBytes: 1 })
    await expect(lost).rejects.toThrow(expect.objectContaining({ earliest: 5n, end, reason: 'out_of_range' }))
  })

  it('whose oldest records are removed while a range is read continues with the earliest, and reports them', async () => {
    const read: bigint[] = []
    const removed: bigint[] = []
    const onRemoved = ({ offset }: PositionLostError) => void removed.push(offset)
    const range = { topic, partition: 0, from: 0n, to: end }
    for await (const { baseOffset } of readRange(queue, range, { maxBytes: 1, onRemoved })) {
      read.push(baseOffset)
      cluster.partition(topic).logStart = 6n
    }
    expect({ read, removed }).toEqual({ read: [0n, 6n, 7n], removed: [1n] })
    await expect(readAll(queue, range)).rejects.toThrow(PositionLostError)
  })

  it('that ends before the requested range was truncated, which is an error', async () => {
    const range = { topic, partition: 0, from: 0n, to: end + 1n }
    await expect(readAll(queue, range)).rejects.toThrow(expect.objectContaining({ reason: 'truncated', end }))
  })

  it('that was deleted and created again is refused to readers with the old id', async () => {
    const { topicId } = cluster.partition(topic)
    const at = { topic, partition: 0, offset: 0n, topicId }
    cluster.deleteTopic(topic)
    cluster.createTopic(topic)
    await queue.append([record(topic, 'new')])
    await expect(queue.read(at, { maxBytes: 1 })).rejects.toThrow(expect.objectContaining({ reason: 'recreated' }))
    const range = { topic, topicId, partition: 0, from: 0n, to: 1n }
    await expect(readAll(queue, range)).rejects.toThrow(expect.objectContaining({ reason: 'recreated' }))
    const followed = queue.follow([at], new AbortController())[Symbol.asyncIterator]()
    await expect(followed.next()).rejects.toThrow(expect.objectContaining({ reason: 'recreated' }))
    expect(await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 })).toMatchObject({ next: 1n, end: 1n })
  })

  it('is never read from a leader of an earlier term than one that has answered', async () => {
    const partition = cluster.partition(topic)
    await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 })
    partition.elect({ highWatermark: end, requests: 0 })
    await queue.append([record(topic, 'new')])
    partition.leader = 3 - partition.leader
    partition.epoch--
    await expect(queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 })).rejects.toThrow(
      QueueUnavailableError,
    )
  })

  it('causes one request per term for whether its leader has caught up', async () => {
    for (let round = 0; round < 3; round++) await queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 })
    const before = cluster.requests(apiKeys.listOffsets)
    for (let round = 0; round < 3; round++) await queue.read({ topic, partition: 0, offset: end }, { maxBytes: 1 })
    expect(cluster.requests(apiKeys.listOffsets)).toBe(before)
  })
})

describe('a leader that was replaced while it is cut off', () => {
  const key = Buffer.from('key')
  const place = { topic: uniqueName('cut-off'), partition: 0 }
  let queue: Queue

  /** The first broker is cut off and does not have the second of two records. */
  beforeEach(async () => {
    const { topic } = place
    const cluster = createFakeCluster()
    const before = await cluster.openQueue()
    await before.createTopics([{ name: topic, cleanup: 'compact' }])
    await before.append([record(topic, 'old', { key })])
    await before.close()
    cluster.partition(topic).cutOffLeader()
    queue = await cluster.openQueue()
    expect(await queue.describe([topic])).toMatchObject([{ partitions: [{ end: 1n }] }])
    const writer = await cluster.openQueue()
    await writer.latest(topic, 0, key)
    await writer.append([record(topic, 'new', { key })])
    await writer.close()
    expect(cluster.partition(topic).end).toBe(2n)
  })
  afterEach(() => queue.close())

  it('does not decide what the newest record of a key is', async () => {
    const found = await queue.latest(place.topic, 0, key)
    expect(Buffer.from(found!.value!).toString()).toBe('new')
  })

  it('does not decide that a position is lost', async () => {
    expect(await queue.read({ ...place, offset: 2n }, { maxBytes: 1 })).toMatchObject({ next: 2n, end: 2n })
  })

  it('does not decide that a log was truncated', async () => {
    await readAll(queue, { ...place, from: 1n, to: 2n })
  })

  it('does not decide that a followed position is lost', async () => {
    const signal = AbortSignal.timeout(500)
    for await (const _ of queue.follow([{ ...place, offset: 2n }], { signal }));
  })
})
