import { randomUUID } from 'node:crypto'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { consoleConsumer } from '../../../testbed/kafka/console-consumer.ts'
import { createRandom, type Random } from '../../../testbed/random.ts'
import type { Queue } from '../../src/index.ts'
import { kafka, openKafka } from '../kafka-fixture.ts'
import { createKafkajsProducer, createOwnProducer, type HistoryProducer } from './history-producers.ts'
import { endAll, type HistoryStep, historySteps, type Lane, runHistory } from './random-history.ts'

/** The records of a topic as `partition:offset key value`, in order of offset, by partition. */
type Seen = Map<number, string[]>

const partitionsOfLane = 3
/** Histories per Java consumer. */
const historiesOfTopic = 500

describe.skipIf(kafka === null)('random histories of interleaved transactions', () => {
  const admin = new Kafka({ brokers: [kafka ?? ''], logLevel: logLevel.NOTHING }).admin()
  let queue: Queue
  let producers: HistoryProducer[][]

  beforeAll(async () => {
    await admin.connect()
    queue = await openKafka()
  })
  afterAll(async () => {
    for (const producer of producers?.flat() ?? []) await producer.close()
    await queue?.close()
    await admin.disconnect()
  })

  it('are read by every method as by Kafka’s console consumer', async () => {
    const counts = { once: 20, scaled: 150, full: 10_000 }
    const plan = planFaults('random histories', counts, historySteps)
    const laneCount = Math.min(20, Math.ceil(plan.count / 5))
    producers = await Promise.all(Array.from({ length: laneCount }, (_, index) => createProducers(index)))
    let histories = 0
    while (histories < plan.count) {
      const inTopic = Math.min(historiesOfTopic, plan.count - histories)
      await checkTopic({ histories: inTopic, random: plan.random, onStep: plan.hit })
      histories += inTopic
    }
    console.log(`random histories: ${histories}`)
    plan.expectAllHit()
  })

  /** Three of this engine, the last with transactions that time out, and one of kafkajs in every second lane. */
  async function createProducers(lane: number): Promise<HistoryProducer[]> {
    const own = [false, false, true].map((timesOut) => createOwnProducer(queue, { timesOut }))
    return Promise.all([...own, ...(lane % 2 === 0 ? [createKafkajsProducer(kafka!)] : [])])
  }

  /** Its batches are small, so that most of a transaction is sent before its end. */
  async function createTopic(lanes: number): Promise<string> {
    const topic = `histories-${randomUUID()}`
    const configEntries = [
      { name: 'max.message.bytes', value: '4096' },
      { name: 'retention.ms', value: '-1' },
    ]
    await admin.createTopics({
      topics: [{ topic, numPartitions: lanes * partitionsOfLane, configEntries }],
      waitForLeaders: false,
    })
    await expect.poll(() => queue.describe([topic]), { timeout: 30_000 }).toHaveLength(1)
    return topic
  }

  function createLanes(
    topic: string,
    options: { random: Random; onStep: (step: HistoryStep) => void; laneCount: number },
  ): Lane[] {
    return producers.slice(0, options.laneCount).map((ofLane, index) => ({
      ...{ queue, topic, producers: ofLane, onStep: options.onStep, committed: new Set(), open: new Map(), made: 0 },
      random: createRandom(options.random.integer(2 ** 31)),
      partitions: Array.from({ length: partitionsOfLane }, (_, partition) => index * partitionsOfLane + partition),
    }))
  }

  async function checkTopic(options: { histories: number; random: Random; onStep: (step: HistoryStep) => void }) {
    const topic = await createTopic(producers.length)
    const partitions = producers.length * partitionsOfLane
    const stop = new AbortController()
    const followed = follow(queue, { topic, partitions, signal: stop.signal })
    const lanes = createLanes(topic, { ...options, laneCount: producers.length })
    let left = options.histories
    await Promise.all(
      lanes.map(async (lane) => {
        while (left-- > 0) await runHistory(lane)
        await endAll(lane)
      }),
    )
    await untilStable(topic)
    const seen = await readAll(queue, topic, partitions)
    const expected = await seenByConsole(topic, partitions, countOf(seen))
    expect(differences(seen, expected)).toEqual([])
    await readFromAnywhere(queue, { topic, expected, random: options.random })
    await followed.reached(expected)
    stop.abort()
    expect(differences(await followed.seen, expected)).toEqual([])
    expectWhatWasCommitted(expected, lanes)
    await admin.deleteTopics({ topics: [topic] })
  }

  /** Waits until no transaction is open: kafkajs does not wait for its markers. */
  async function untilStable(topic: string): Promise<void> {
    const { partitions } = (await queue.describe([topic]))[0]!
    await Promise.all(partitions.map((_, partition) => queue.latest(topic, partition, Buffer.from('absent'))))
  }

  /** Reads as many records as this engine has seen, and compares them. */
  async function seenByConsole(topic: string, partitions: number, count: number): Promise<Seen> {
    const consumer = { javaCommand: inject('kafkaJavaCommand')!, bootstrap: kafka!, topic }
    const records = await consoleConsumer({ ...consumer, expected: count })
    const seen: Seen = new Map(Array.from({ length: partitions }, (_, partition) => [partition, []]))
    for (const { partition, offset, key, value } of records) seen.get(partition)!.push(`${offset} ${key} ${value}`)
    return seen
  }
})

async function readAll(queue: Queue, topic: string, partitions: number): Promise<Seen> {
  const seen: Seen = new Map()
  for (let partition = 0; partition < partitions; partition++) {
    seen.set(partition, await readFrom(queue, { topic, partition, offset: 0n, maxBytes: () => 1 << 20 }))
  }
  return seen
}

async function readFrom(
  queue: Queue,
  { topic, partition, offset, maxBytes }: { topic: string; partition: number; offset: bigint; maxBytes: () => number },
): Promise<string[]> {
  const texts: string[] = []
  for (let at = offset; ; ) {
    const { batches, next, end } = await queue.read({ topic, partition, offset: at }, { maxBytes: maxBytes() })
    for (const batch of batches) for (const record of batch.records()) texts.push(textOf(record))
    if (next === end) return texts
    at = next
  }
}

/** Reads each partition once from a random offset, in pages of random sizes. */
async function readFromAnywhere(
  queue: Queue,
  { topic, expected, random }: { topic: string; expected: Seen; random: Random },
): Promise<void> {
  for (const [partition, { end }] of (await queue.describe([topic]))[0]!.partitions.entries()) {
    const from = random.integer(Number(end) + 1)
    const maxBytes = () => random.pick([1, random.integer(5_000), random.integer(100_000), 1 << 20])
    const texts = await readFrom(queue, { topic, partition, offset: BigInt(from), maxBytes })
    const wanted = expected.get(partition)!.filter((text) => Number.parseInt(text, 10) >= from)
    expect(texts, `partition ${partition} from offset ${from}`).toEqual(wanted)
  }
}

function follow(
  queue: Queue,
  { topic, partitions, signal }: { topic: string; partitions: number; signal: AbortSignal },
): { seen: Promise<Seen>; reached(expected: Seen): Promise<void> } {
  const seen: Seen = new Map(Array.from({ length: partitions }, (_, partition) => [partition, []]))
  const places = [...seen.keys()].map((partition) => ({ topic, partition, offset: 0n }))
  let onProgress = (): void => {}
  const walk = async (): Promise<Seen> => {
    for await (const batch of queue.follow(places, { signal })) {
      for (const record of batch.records()) seen.get(batch.partition)!.push(textOf(record))
      onProgress()
    }
    return seen
  }
  return {
    seen: walk(),
    reached: (expected) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new Error(`followed ${countOf(seen)} of ${countOf(expected)} records`))
        const deadline = setTimeout(late, 30_000)
        onProgress = () => {
          if (countOf(seen) < countOf(expected)) return
          clearTimeout(deadline)
          resolve()
        }
        onProgress()
      }),
  }
}

function countOf(seen: Seen): number {
  return [...seen.values()].reduce((sum, texts) => sum + texts.length, 0)
}

function textOf({ offset, key, value }: { offset: bigint; key: Uint8Array | null; value: Uint8Array | null }): string {
  return `${offset} ${Buffer.from(key!)} ${Buffer.from(value!)}`
}

/** The first difference between two lists of records. */
function differences(seen: Seen, expected: Seen): string[] {
  const found: string[] = []
  for (const [partition, wanted] of expected) {
    const texts = seen.get(partition) ?? []
    for (let index = 0; index < Math.max(texts.length, wanted.length); index++) {
      if (texts[index] === wanted[index]) continue
      const short = (text: string | undefined) => text?.slice(0, 40)
      found.push(`${partition}: ${short(texts[index])} instead of ${short(wanted[index])}`)
      break
    }
  }
  return found
}

function expectWhatWasCommitted(expected: Seen, lanes: readonly Lane[]): void {
  const visible = new Set<string>()
  for (const texts of expected.values()) {
    for (const text of texts) {
      const [, key, value] = text.split(' ')
      if (key !== 'kafkajs') visible.add(value!)
    }
  }
  const committed = new Set(lanes.flatMap((lane) => [...lane.committed]))
  const without = (some: Set<string>, others: Set<string>) => [...some].filter((value) => !others.has(value))
  expect(without(visible, committed), 'visible and not committed').toEqual([])
  expect(without(committed, visible), 'committed and not visible').toEqual([])
}
