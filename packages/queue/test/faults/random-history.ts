import type { Random } from '../../../testbed/random.ts'
import type { Queue } from '../../src/index.ts'
import type { HistoryProducer, HistoryRecord } from './history-producers.ts'

/** The outcome of a transaction, or another event of a history. */
export const historySteps = ['committed', 'aborted', 'refused', 'left open', 'appended'] as const
export type HistoryStep = (typeof historySteps)[number]

/** Partitions that several histories use one after another. */
export interface Lane {
  readonly queue: Queue
  readonly topic: string
  readonly partitions: readonly number[]
  readonly producers: readonly HistoryProducer[]
  readonly random: Random
  readonly onStep: (step: HistoryStep) => void
  /** Values of this engine's records that a reader must see. */
  readonly committed: Set<string>
  /** Values of open transactions, with those of earlier histories. */
  readonly open: Map<HistoryProducer, string[]>
  made: number
}

/**
 * One history: two to four producers whose transactions interleave in one to three partitions, each committed, aborted
 * or left open, with records of many sizes and some outside of transactions in between.
 */
export async function runHistory(lane: Lane): Promise<void> {
  const { random, producers } = lane
  const partitions = lane.partitions.slice(0, 1 + random.integer(3))
  const taking = shuffled(producers, random).slice(0, 2 + random.integer(3))
  for (let steps = 6 + random.integer(14); steps > 0; steps--) {
    const producer = random.pick(taking)
    const dice = random.integer(100)
    if (dice < 8) await append(lane, random.pick(partitions))
    else if (dice < 60 || !lane.open.has(producer)) await send(lane, producer, random.pick(partitions))
    else await end(lane, producer, dice < 82 ? 'commit' : 'abort')
  }
  for (const producer of taking) {
    if (!lane.open.has(producer)) continue
    if (random.integer(8) === 0) lane.onStep('left open')
    else await end(lane, producer, random.pick(['commit', 'abort']))
  }
}

/** Ends the open transactions of histories, and finally one that the broker has timed out. */
export async function endAll(lane: Lane): Promise<void> {
  const timingOut = lane.producers.find(({ timesOut }) => timesOut)!
  for (const producer of lane.open.keys()) await end(lane, producer, lane.random.pick(['commit', 'abort']))
  await untilStable(lane)
  // Enough to send a batch.
  for (let bytes = 0; bytes < 10_000; ) bytes += await send(lane, timingOut, lane.partitions[0]!)
  await untilHeldBack(lane)
  await untilStable(lane)
  await end(lane, timingOut, 'commit')
}

/** Resolves when no transaction is open before the current end. */
async function untilStable({ queue, topic, partitions }: Lane): Promise<void> {
  await queue.latest(topic, partitions[0]!, Buffer.from('absent'))
}

/** Resolves when an appended record stays invisible (the broker has the open transaction), or it has timed out. */
async function untilHeldBack(lane: Lane): Promise<void> {
  const partition = lane.partitions[0]!
  const deadline = AbortSignal.timeout(10_000)
  for (let before: bigint | undefined; !deadline.aborted; ) {
    await append(lane, partition)
    const { end } = (await lane.queue.describe([lane.topic]))[0]!.partitions[partition]!
    if (end === before) return
    before = end
  }
}

async function append(lane: Lane, partition: number): Promise<void> {
  const { key, value } = makeRecord(lane, partition, 'append')
  const { queue, topic } = lane
  await queue.append([{ topic, partition, key: Buffer.from(key), value: Buffer.from(value), time: 1_000 }])
  lane.committed.add(value)
  lane.onStep('appended')
}

/** Returns the number of sent bytes. */
async function send(lane: Lane, producer: HistoryProducer, partition: number): Promise<number> {
  const records = Array.from({ length: 1 + lane.random.integer(5) }, () => makeRecord(lane, partition, producer.kind))
  await producer.send(lane.topic, records)
  const open = lane.open.get(producer) ?? []
  lane.open.set(producer, open)
  open.push(...records.map(({ value }) => value))
  return records.reduce((sum, { value }) => sum + value.length, 0)
}

async function end(lane: Lane, producer: HistoryProducer, how: 'commit' | 'abort'): Promise<void> {
  const values = lane.open.get(producer) ?? []
  lane.open.delete(producer)
  if (how === 'abort') {
    await producer.abort()
    lane.onStep('aborted')
  } else if (await producer.commit()) {
    // The broker may have dropped records as duplicates that kafkajs reports as committed.
    if (producer.kind === 'own') for (const value of values) lane.committed.add(value)
    lane.onStep('committed')
  } else lane.onStep('refused')
}

function makeRecord(lane: Lane, partition: number, key: string): HistoryRecord {
  const { random } = lane
  const size = random.pick([0, 20, 500, random.integer(3_000)])
  return { partition, key, value: `${lane.partitions[0]}-${lane.made++}-${'x'.repeat(size)}` }
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const mixed = values.map((value) => ({ value, place: random.integer(1 << 30) }))
  return mixed.sort((one, other) => one.place - other.place).map(({ value }) => value)
}
