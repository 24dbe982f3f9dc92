import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue } from '../src/index.ts'
import { kafka, openKafka, record, uniqueName } from './kafka-fixture.ts'

describe.skipIf(kafka === null)('the latest record of a key on Kafka', () => {
  const topic = uniqueName('latest')
  let queue: Queue

  beforeAll(async () => {
    queue = await openKafka()
    await queue.createTopics([{ name: topic, cleanup: 'compact' }])
  })
  afterAll(() => queue?.close())

  it('waits for an earlier open transaction of another writer', async () => {
    const other = await queue.openWriter({ id: `${topic}/other`, claim: 'run' })
    const own = await queue.openWriter({ id: `${topic}/own`, claim: 'run' })
    await queue.append([record(topic, 'first', { key: Buffer.from('own') })])

    // A batch of the other writer was sent, so its transaction is open in the broker.
    const blocking = other.begin()
    for (let index = 0; index < 60; index++) blocking.send(record(topic, 'x'.repeat(10_000)))
    await openInBroker(topic)
    const transaction = own.begin()
    transaction.send(record(topic, 'second', { key: Buffer.from('own') }))
    await transaction.commit()

    const events: string[] = []
    const waiting = queue.latest(topic, 0, Buffer.from('own')).then((found) => {
      events.push(`latest is ${Buffer.from(found!.value!)}`)
    })
    // This partition has no open transaction, so its answer is immediate. The first call ends later because it waits.
    await queue.latest('_headrace.owners', 0, Buffer.from('absent'))
    events.push('the other call ends')
    await blocking.commit()
    await waiting
    expect(events).toEqual(['the other call ends', 'latest is second'])
  })

  /** Resolves when an open transaction keeps an appended record invisible. */
  async function openInBroker(name: string): Promise<void> {
    const deadline = AbortSignal.timeout(20_000)
    for (let before: bigint | undefined; ; ) {
      deadline.throwIfAborted()
      await queue.append([record(name, 'plain', { key: Buffer.from('plain') })])
      const end = (await queue.describe([name]))[0]!.partitions[0]!.end
      if (end === before) return
      before = end
    }
  }

  it('finds a key many windows before the end, and returns nothing for an absent key', async () => {
    const far = uniqueName('latest-far')
    await queue.createTopics([{ name: far, cleanup: 'compact' }])
    await queue.append([record(far, 'needle', { key: Buffer.from('needle') })])
    await queue.append(Array.from({ length: 5_000 }, (_, index) => record(far, `${index}`)))
    expect(Buffer.from((await queue.latest(far, 0, Buffer.from('needle')))!.value!).toString()).toBe('needle')
    expect(Buffer.from((await queue.latest(far, 0, Buffer.from('k')))!.value!).toString()).toBe('4999')
    expect(await queue.latest(far, 0, Buffer.from('nothing'))).toBeUndefined()
  })
})
