import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRetention, openQueue, type Queue, TopicMismatchError, UnknownTopicError } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kafka, openKafka } from './kafka-fixture.ts'

const directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
afterAll(() => rmSync(directory, { recursive: true }))

const engines: [string, boolean, () => Promise<Queue>][] = [
  ['embedded', false, () => openQueue(`embedded:${directory}`)],
  ['Kafka', kafka === null, () => openKafka()],
]

describe.each(engines)('retention on the %s engine', (_, unavailable, open) => {
  let queue: Queue
  beforeAll(async () => {
    if (!unavailable) queue = await open()
  })
  afterAll(async () => queue?.close())

  it.skipIf(unavailable)('removes records that are older than the policy allows', async () => {
    const place = await publish(10)
    const earliest = await createRetention(queue).apply(place, { maxAgeMs: 400 }, { now: 1_000, keepFrom: forever })
    expect(earliest).toBe((await offsets(place))[0])
    expect(await times(place)).toEqual([600, 700, 800, 900])
  })

  it.skipIf(unavailable)('removes all records if all are too old', async () => {
    const place = await publish(3)
    await createRetention(queue).apply(place, { maxAgeMs: 10 }, { now: 10_000, keepFrom: forever })
    expect(await times(place)).toEqual([])
  })

  it.skipIf(unavailable)(
    'removes the oldest batches while the others have at least the number of bytes to keep',
    async () => {
      const place = await publish(10)
      const size = await batchSize(place)
      const retention = createRetention(queue)
      const limit = { maxBytes: 4 * size }
      const kept = { now: 1_000, keepFrom: forever }
      await retention.apply(place, limit, kept)
      expect(await times(place)).toEqual([600, 700, 800, 900])
      const unchanged = await retention.apply(place, limit, kept)
      expect(unchanged).toBe((await offsets(place))[0])
      await append(place.topic, 1_000)
      await append(place.topic, 1_100)
      await retention.apply(place, limit, kept)
      expect(await times(place)).toEqual([800, 900, 1_000, 1_100])
      await retention.apply(place, { maxBytes: 4 * size - 1 }, kept)
      expect(await times(place)).toEqual([800, 900, 1_000, 1_100])
    },
  )

  it.skipIf(unavailable)('applies the limit that removes more, and later the other one', async () => {
    const place = await publish(10)
    const size = await batchSize(place)
    const retention = createRetention(queue)
    await retention.apply(place, { maxAgeMs: 300, maxBytes: 6 * size }, { now: 1_000, keepFrom: forever })
    expect(await times(place)).toEqual([700, 800, 900])
    await append(place.topic, 1_000)
    await retention.apply(place, { maxAgeMs: 9_000, maxBytes: 2 * size }, { now: 1_000, keepFrom: forever })
    expect(await times(place)).toEqual([900, 1_000])
  })

  it.skipIf(unavailable)('never removes records that may still be reverted', async () => {
    const place = await publish(10)
    const keepFrom = (await offsets(place))[2]!
    const retention = createRetention(queue)
    for (const policy of [{ maxAgeMs: 0 }, { maxBytes: 0 }, { maxAgeMs: 0, maxBytes: 0 }]) {
      expect(await retention.apply(place, policy, { now: 5_000, keepFrom })).toBe(keepFrom)
      expect((await times(place))[0]).toBe(200)
    }
  })

  it.skipIf(unavailable)('does not count a batch twice after a read that failed', async () => {
    const place = await publish(4)
    const size = await batchSize(place)
    const pages = createPages(queue)
    const retention = createRetention(pages.queue)
    const limit = { maxBytes: 24 * size }
    await retention.apply(place, limit, keepAll)
    for (let time = 400; time < 2_400; time += 100) await append(place.topic, time)
    for (let failed = 0; failed < 5; failed++) {
      pages.failAfter(10)
      await expect(retention.apply(place, limit, keepAll)).rejects.toThrow('injected')
    }
    pages.failAfter(undefined)
    expect(await retention.apply(place, limit, keepAll)).toBe(0n)
    expect(await times(place)).toHaveLength(24)
  })

  it.skipIf(unavailable)('does not count a batch twice after a failure that followed the measurement', async () => {
    const place = await publish(4)
    const size = await batchSize(place)
    const pages = createPages(queue)
    const retention = createRetention(pages.queue)
    const limit = { maxBytes: 4 * size }
    await retention.apply(place, limit, keepAll)
    for (const time of [400, 500, 600]) {
      await append(place.topic, time)
      // One page has the added records, the next one the earliest batch.
      pages.failAfter(1)
      await expect(retention.apply(place, limit, keepAll)).rejects.toThrow('injected')
    }
    pages.failAfter(undefined)
    await retention.apply(place, limit, keepAll)
    expect(await times(place)).toEqual([300, 400, 500, 600])
  })

  it.skipIf(unavailable)('keeps the measured size after a refused removal', async () => {
    const place = await publish(10)
    const size = await batchSize(place)
    const pages = createPages(queue)
    let refused = true
    const retention = createRetention({
      ...pages.queue,
      async deleteBefore(...at) {
        if (refused) throw new Error('injected')
        await queue.deleteBefore(...at)
      },
    })
    const limit = { maxBytes: 8 * size }
    await expect(retention.apply(place, limit, keepAll)).rejects.toThrow('injected')
    for (let failed = 0; failed < 3; failed++) {
      pages.read.length = 0
      await expect(retention.apply(place, limit, keepAll)).rejects.toThrow('injected')
      // The size was measured before, so only the batches to remove and the first one to keep are read.
      expect(pages.read).toEqual((await offsets(place)).slice(0, 3))
    }
    refused = false
    await retention.apply(place, limit, keepAll)
    expect(await times(place)).toEqual([200, 300, 400, 500, 600, 700, 800, 900])
  })

  it.skipIf(unavailable)('does not repeat a removal whose answer was lost', async () => {
    const place = await publish(10)
    const size = await batchSize(place)
    let lost = 1
    const unanswered: Queue = {
      ...queue,
      async deleteBefore(...at) {
        await queue.deleteBefore(...at)
        if (lost-- > 0) throw new Error('injected')
      },
    }
    const retention = createRetention(unanswered)
    const limit = { maxBytes: 6 * size }
    await expect(retention.apply(place, limit, keepAll)).rejects.toThrow('injected')
    expect(await times(place)).toEqual([400, 500, 600, 700, 800, 900])
    await append(place.topic, 1_000)
    await retention.apply(place, limit, keepAll)
    expect(await times(place)).toEqual([500, 600, 700, 800, 900, 1_000])
  })

  it.skipIf(unavailable)('removes nothing without a limit', async () => {
    const place = await publish(2)
    await createRetention(queue).apply(place, {}, { now: 1e12, keepFrom: forever })
    expect(await times(place)).toEqual([0, 100])
  })

  it.skipIf(unavailable)('refuses compacted topics and those that do not exist', async () => {
    const topic = randomUUID()
    const kept = { now: 5_000, keepFrom: forever }
    const retention = createRetention(queue)
    await expect(retention.apply({ topic, partition: 0 }, { maxAgeMs: 0 }, kept)).rejects.toThrow(UnknownTopicError)
    await queue.createTopics([{ name: topic, cleanup: 'compact' }])
    await queue.append([{ topic, key: Buffer.from('k'), value: null, time: 0 }])
    await expect(retention.apply({ topic, partition: 0 }, { maxAgeMs: 0 }, kept)).rejects.toThrow(TopicMismatchError)
    await expect(retention.apply({ topic, partition: 1 }, { maxAgeMs: 0 }, kept)).rejects.toThrow(UnknownTopicError)
  })

  /** Batches of one record every 100 ms from 0, in a new topic. */
  async function publish(count: number): Promise<Place> {
    const topic = randomUUID()
    await queue.createTopics([{ name: topic }])
    for (let index = 0; index < count; index++) await append(topic, index * 100)
    return { topic, partition: 0 }
  }

  function append(topic: string, time: number): Promise<void> {
    return queue.append([{ topic, key: null, value: Buffer.alloc(1_000), time }])
  }

  async function records(place: Place) {
    const [description] = await queue.describe([place.topic])
    const { earliest, end } = description!.partitions[0]!
    const found = []
    for (let offset = earliest; offset < end; ) {
      const { batches, next } = await queue.read({ ...place, offset }, { maxBytes: 1 << 20, maxWaitMs: 1_000 })
      found.push(...batches.flatMap((batch) => [...batch.records()]))
      offset = next
    }
    return found
  }

  async function batchSize(place: Place): Promise<number> {
    const { batches } = await queue.read({ ...place, offset: 0n }, { maxBytes: 1, maxWaitMs: 1_000 })
    return batches[0]!.byteLength
  }

  const times = async (place: Place) => (await records(place)).map(({ time }) => time)
  const offsets = async (place: Place) => (await records(place)).map(({ offset }) => offset)
})

/** A queue that reads one batch at a time, and fails on demand. */
function createPages(queue: Queue) {
  const read: bigint[] = []
  let left: number | undefined
  const paged: Queue = {
    ...queue,
    async read(at, limits) {
      if (left !== undefined && left-- <= 0) throw new Error('injected')
      read.push(at.offset)
      return queue.read(at, { ...limits, maxBytes: 1 })
    },
  }
  return {
    queue: paged,
    /** Requested offsets. */
    read,
    /** Number of reads that succeed before the failures; `undefined`: all. */
    failAfter(reads: number | undefined) {
      left = reads
    },
  }
}

interface Place {
  readonly topic: string
  readonly partition: number
}

const forever = 2n ** 62n
const keepAll = { now: 1_000, keepFrom: forever }
