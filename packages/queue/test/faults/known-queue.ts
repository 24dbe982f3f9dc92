import { compactPartition, defaultCompaction } from '../../src/embedded/compaction.ts'
import { openEngine } from '../../src/embedded/open-engine.ts'
import { compactionLagMs } from '../../src/embedded/storage/batch-table.ts'
import { HeadraceError, openQueue, PositionLostError, type Queue, type QueueRecord } from '../../src/index.ts'

export interface ExpectedPartition {
  readonly topic: string
  readonly partition: number
  readonly earliest: bigint
  readonly end: bigint
  readonly records: ReadonlyMap<bigint, string>
}

/** Creates a queue with large and small batches, deleted records and a compacted topic. */
export async function createExampleQueue(directory: string): Promise<ExpectedPartition[]> {
  const queue = await openQueue(`embedded:${directory}`)
  await queue.createTopics([
    { name: 'blocks', partitions: 2 },
    { name: 'transactions' },
    { name: 'checkpoints', cleanup: 'compact' },
    { name: 'empty' },
  ])
  const writer = await queue.openWriter({ id: 'writer', claim: 'claim' })
  for (let unit = 0; unit < 60; unit++) {
    const transaction = writer.begin()
    const record = (key: string, size: number) => ({
      key: Buffer.from(key),
      value: Buffer.from(`${unit} ${'x'.repeat(size)}`),
      time: 1_000 + unit,
    })
    transaction.send({ topic: 'blocks', partition: unit % 2, ...record('block', 500) })
    for (let index = 0; index < unit; index++) transaction.send({ topic: 'transactions', ...record(`${index}`, 800) })
    transaction.send({ topic: 'checkpoints', ...record('newest', 300) })
    transaction.send({ topic: 'checkpoints', ...record(`ring ${unit % 16}`, 300) })
    await transaction.commit()
    // In the middle, so that superseded records remain too.
    if (unit === 40) await compact(directory, 'checkpoints')
  }
  await queue.deleteBefore('blocks', 1, 7n)
  const partitions = await readAll(queue)
  await queue.close()
  return partitions
}

/** Compacts a topic as if the compaction lag of all records were over. */
export async function compact(directory: string, topic: string): Promise<void> {
  const close = new AbortController()
  const engine = await openEngine({ directory, create: false }, close.signal)
  const settings = { ...defaultCompaction, now: () => Date.now() + compactionLagMs }
  await compactPartition(engine, engine.topics.partition(topic, 0), settings)
  close.abort()
  engine.storage.database.close()
}

async function readAll(queue: Queue): Promise<ExpectedPartition[]> {
  const expected: ExpectedPartition[] = []
  for (const { name, partitions } of await queue.describe()) {
    for (const [partition, { earliest, end }] of partitions.entries()) {
      const records = new Map<bigint, string>()
      for (let offset = earliest; offset < end; ) {
        const { batches, next } = await queue.read({ topic: name, partition, offset }, { maxBytes: 1 << 16 })
        for (const batch of batches) for (const record of batch.records()) records.set(record.offset, textOf(record))
        offset = next
      }
      expected.push({ topic: name, partition, earliest, end, records })
    }
  }
  return expected
}

/** A record without its topic, partition and offset, as text. */
export function textOf({ key, value, time, headers }: QueueRecord): string {
  const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('latin1')
  return JSON.stringify([text(key), text(value), time, headers.map((one) => [one.key, text(one.value)])])
}

export interface Comparison {
  /** Errors, each as code and message. */
  readonly errors: string[]
  readonly differences: string[]
}

/**
 * Reads everything and records each difference from the expected content.
 *
 * @param mayEndEarly - Whether the queue may be as it was at an earlier commit.
 */
export async function compareQueue(
  queue: Queue,
  expected: readonly ExpectedPartition[],
  mayEndEarly: boolean,
): Promise<Comparison> {
  const comparison: Comparison = { errors: [], differences: [] }
  await note(comparison, async () => {
    const names = new Set((await queue.describe()).map(({ name }) => name))
    for (const { topic } of expected)
      if (!names.has(topic) && !mayEndEarly) comparison.differences.push(`${topic} is missing`)
  })
  for (const one of expected) await comparePartition(queue, one, comparison, mayEndEarly)
  return comparison
}

async function comparePartition(
  queue: Queue,
  expected: ExpectedPartition,
  comparison: Comparison,
  mayEndEarly: boolean,
): Promise<void> {
  const { topic, partition, records } = expected
  let offset = expected.earliest
  while (offset < expected.end) {
    const from = offset
    const succeeded = await note(comparison, async () => {
      const { batches, next, end } = await queue.read({ topic, partition, offset }, { maxBytes: 1 << 16 })
      const served = batches.flatMap((batch) => [...batch.records()])
      const present = [...records].filter(([at]) => at >= offset && at < next)
      if (served.length !== present.length)
        comparison.differences.push(`${topic} ${offset}–${next}: ${served.length} records`)
      for (const record of served) {
        if (records.get(record.offset) !== textOf(record))
          comparison.differences.push(`${topic} ${record.offset} differs`)
      }
      if (end > expected.end || (end < expected.end && !mayEndEarly))
        comparison.differences.push(`${topic} ends at ${end}`)
      offset = next === offset ? expected.end : next
    })
    if (!succeeded) offset = from + 1n
  }
  const newest = new Map([...records].map(([at, text]) => [JSON.parse(text)[0] as string, at]))
  const lookups = [...newest, ['absent', undefined] as const]
  for (const [key, at] of topic === 'checkpoints' && !mayEndEarly ? lookups : []) {
    await note(comparison, async () => {
      const found = await queue.latest(topic, partition, Buffer.from(key))
      if (found?.offset !== at) comparison.differences.push(`the newest "${key}" is ${found?.offset}, not ${at}`)
    })
  }
  for (const time of mayEndEarly ? [] : [0, 1_017, 1_059, 2_000]) {
    await note(comparison, async () => {
      const found = await queue.offsetForTime(topic, partition, time)
      const first = [...records].find(([, text]) => JSON.parse(text)[2] >= time)?.[0]
      const beginsAtLoss =
        found !== undefined &&
        (first === undefined || found < first) &&
        (await isLost(queue, { topic, partition, offset: found }))
      if (found !== first && !beginsAtLoss) comparison.differences.push(`${topic} at ${time} is ${found}, not ${first}`)
    })
  }
}

async function isLost(queue: Queue, at: { topic: string; partition: number; offset: bigint }): Promise<boolean> {
  try {
    await queue.read(at, { maxBytes: 1 })
    return false
  } catch (error) {
    return error instanceof PositionLostError
  }
}

/** Runs `work` and records an error of the queue. Returns whether there was none. Rethrows any other error. */
export async function note(comparison: Comparison, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    comparison.errors.push(`${error.code}: ${error.message}`)
    return false
  }
}
