import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { Queue, Transaction, Writer } from '../../src/index.ts'
import { kafka, openKafka, readValues, record, uniqueName } from '../kafka-fixture.ts'

const endings = ['committed', 'aborted', 'timed out'] as const
type Ending = (typeof endings)[number]

describe.skipIf(kafka === null)('a writer that restarts beside the open transaction of another', () => {
  let queue: Queue
  beforeAll(async () => {
    queue = await openKafka()
  })
  afterAll(() => queue?.close())

  it('finds its newest checkpoint, however the other ends, and doubles no unit', async () => {
    const plan = planFaults('checkpoint rule', { once: 3, scaled: 24, full: 300 }, endings)
    const topics = await createTopics(queue)
    for (let round = 0; round < plan.count; round++) {
      const ending = endings[round % endings.length]!
      // The other's transaction lies before the checkpoint that is to be found.
      let other: Other
      const beginOther = async (): Promise<void> => {
        other = await openInBroker(queue, topics.checkpoints, ending)
      }
      expect(await publishNext(openKafka, topics, beginOther)).toBe(2 * round)
      const ended = delay(plan.random.integer(300)).then(() => end(other, ending))
      expect(await publishNext(openKafka, topics)).toBe(2 * round + 1)
      await ended
      plan.hit(ending)
    }
    const units = Array.from({ length: 2 * plan.count }, (_, unit) => `unit ${unit}`)
    expect(await readValues(queue, topics.data)).toEqual(units)
    plan.expectAllHit()
  })

  it('would read an older checkpoint and double a unit if it did not wait for what is open', async () => {
    vi.doMock('../../src/kafka/fetch/stable-end.ts', async () => {
      const { listOffset } = await vi.importActual<typeof import('../../src/kafka/admin/list-offsets.ts')>(
        '../../src/kafka/admin/list-offsets.ts',
      )
      return {
        stableEnd: (...[cluster, place]: Parameters<typeof listOffset>) => listOffset(cluster, place, 'lastStable'),
      }
    })
    vi.resetModules()
    const { openKafka: openHasty } = await import('../kafka-fixture.ts')
    const topics = await createTopics(queue)
    expect(await publishNext(openHasty, topics)).toBe(0)
    let other: Other
    const beginOther = async (): Promise<void> => {
      other = await openInBroker(queue, topics.checkpoints, 'aborted')
    }
    expect(await publishNext(openHasty, topics, beginOther)).toBe(1)
    expect(await publishNext(openHasty, topics)).toBe(1)
    vi.doUnmock('../../src/kafka/fetch/stable-end.ts')
    await end(other!, 'aborted')
    expect(await readValues(queue, topics.data)).toEqual(['unit 0', 'unit 1', 'unit 1'])
  })
})

interface Topics {
  readonly data: string
  readonly checkpoints: string
}

async function createTopics(queue: Queue): Promise<Topics> {
  const topics = { data: uniqueName('data'), checkpoints: uniqueName('checkpoints') }
  await queue.createTopics([{ name: topics.data }, { name: topics.checkpoints, cleanup: 'compact' }])
  return topics
}

/** One run: reads its checkpoint, publishes the unit after it, and ends. Returns which unit. */
async function publishNext(
  open: typeof openKafka,
  { data, checkpoints }: Topics,
  inBetween: () => Promise<void> = async () => {},
): Promise<number> {
  const queue = await open()
  const key = Buffer.from(data)
  const writer = await queue.openWriter({ id: data, claim: uniqueName('run') })
  const checkpoint = await queue.latest(checkpoints, 0, key)
  const unit = checkpoint ? Number(Buffer.from(checkpoint.value!)) + 1 : 0
  await inBetween()
  const transaction = writer.begin()
  transaction.send(record(data, `unit ${unit}`))
  transaction.send(record(checkpoints, `${unit}`, { key }))
  await transaction.commit()
  await queue.close()
  return unit
}

interface Other {
  readonly writer: Writer
  readonly transaction: Transaction
}

/** Opens the transaction of another writer and returns when it holds back the readers of a topic. */
async function openInBroker(queue: Queue, topic: string, ending: Ending): Promise<Other> {
  const transactionTimeoutMs = ending === 'timed out' ? 3_000 : 60_000
  const writer = await queue.openWriter({ id: uniqueName('other'), claim: 'run', transactionTimeoutMs })
  const transaction = writer.begin()
  // Longer than one batch, so that a part of it leaves before it is ended.
  for (let index = 0; index < 60; index++) transaction.send(record(topic, 'x'.repeat(10_000)))
  const deadline = AbortSignal.timeout(20_000)
  for (let before: bigint | undefined; ; ) {
    deadline.throwIfAborted()
    await queue.append([record(topic, 'plain', { key: Buffer.from('plain') })])
    const { end } = (await queue.describe([topic]))[0]!.partitions[0]!
    if (end === before) return { writer, transaction }
    before = end
  }
}

/** One that times out is left to the broker. */
async function end({ writer, transaction }: Other, ending: Ending): Promise<void> {
  if (ending === 'committed') await transaction.commit()
  if (ending === 'aborted') await transaction.abort()
  if (ending !== 'timed out') await writer.close()
}
