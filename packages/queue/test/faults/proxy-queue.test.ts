import { beforeAll, describe, expect, inject, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { CommitUnknownError, type Queue, QueueUnavailableError } from '../../src/index.ts'
import { readValues, record, uniqueName } from '../kafka-fixture.ts'
import { apiKeys, useProxiedKafka } from './proxied-kafka.ts'

describe.skipIf(inject('kafka') === null)('a queue whose connections to Kafka are disturbed', () => {
  const kafka = useProxiedKafka({ transactionVersion: 2 })
  let queue: Queue
  let topic: string

  beforeAll(async () => {
    queue = await kafka.open()
  })

  async function newTopic(): Promise<void> {
    topic = uniqueName('proxy')
    await queue.createTopics([{ name: topic }])
  }

  it('appends each record once', async () => {
    const disturbances = ['request cut', 'answer cut', 'request half-close', 'answer half-close'] as const
    const plan = planFaults('harmed connections at append', { once: 4, scaled: 8, full: 100 }, disturbances)
    await newTopic()
    const appended: string[] = []
    for (let round = 0; round < plan.count; round++) {
      const disturbance = disturbances[round % disturbances.length]!
      const [what, how] = disturbance.split(' ') as ['request' | 'answer', 'cut' | 'half-close']
      const { happened } = kafka.proxy.inject({ apiKey: apiKeys.produce, what, how })
      for (const value of [`${round} disturbed`, `${round} after`]) {
        await queue.append([record(topic, value)])
        appended.push(value)
      }
      await happened
      plan.hit(disturbance)
    }
    expect(await readValues(queue, topic)).toEqual(appended)
    plan.expectAllHit()
  })

  it('follows without gaps and duplicates', async () => {
    const plan = planFaults('harmed connections of a follower', { once: 4, scaled: 8, full: 100 }, ['answer', 'all'])
    await newTopic()
    const values = Array.from({ length: plan.count * 10 }, (_, index) => `${index}`)
    const seen: string[] = []
    const stop = new AbortController()
    const following = (async () => {
      for await (const batch of queue.follow([{ topic, partition: 0, offset: 0n }], { signal: stop.signal })) {
        for (const { value } of batch.records()) seen.push(Buffer.from(value!).toString())
        if (seen.length >= values.length) stop.abort()
      }
    })()
    for (const [index, value] of values.entries()) {
      const cut = index % 20 === 5 && kafka.proxy.inject({ apiKey: apiKeys.fetch, what: 'answer', how: 'cut' })
      if (index % 20 === 15) {
        kafka.proxy.cutAll()
        plan.hit('all')
      }
      await queue.append([record(topic, value)])
      if (cut) {
        await cut.happened
        plan.hit('answer')
      }
    }
    await following
    expect(seen).toEqual(values)
    plan.expectAllHit()
  })

  it('makes drain wait while the leader does not answer', async () => {
    await newTopic()
    const small = await kafka.open({ bufferBytes: 1, requestsInFlight: 1, compression: 'none' })
    const writer = await small.openWriter({ id: topic, claim: 'run' })
    const held = kafka.proxy.inject({ apiKey: apiKeys.produce, what: 'answer', how: 'hold' })
    const produced = kafka.proxy.requests(apiKeys.produce)
    const transaction = writer.begin()
    let drained = false
    for (let index = 0; index < 100; index++) transaction.send(record(topic, `${index}:${'x'.repeat(10_000)}`))
    const draining = transaction.drain().then(() => {
      drained = true
    })
    await held.happened
    await queue.describe([topic])
    expect(drained).toBe(false)
    expect(kafka.proxy.requests(apiKeys.produce)).toBe(produced + 1)
    held.release()
    await draining
    await transaction.commit()
    expect(await readValues(queue, topic)).toHaveLength(100)
    await writer.close()
  })

  it('reports a broker that is away for longer than the budget', async () => {
    await newTopic()
    const impatient = await kafka.open({ budgetMs: 500 })
    const writer = await impatient.openWriter({ id: topic, claim: 'run' })
    const first = writer.begin()
    first.send(record(topic, 'one'))
    await first.commit()
    const transaction = writer.begin()
    transaction.send(record(topic, 'two'))
    const { proxy } = kafka
    const port = proxy.brokerPort
    const lost = proxy.inject({ apiKey: apiKeys.endTxn, what: 'answer', how: 'cut' }).happened.then(() => {
      proxy.brokerPort = 1
      proxy.cutAll()
    })
    await expect(transaction.commit()).rejects.toThrow(CommitUnknownError)
    await lost
    await expect(impatient.describe()).rejects.toThrow(QueueUnavailableError)

    // A new writer shows the outcome of the commit.
    proxy.brokerPort = port
    await writer.close()
    const again = await impatient.openWriter({ id: topic, claim: 'run' })
    expect(await readValues(impatient, topic)).toEqual(['one', 'two'])
    const third = again.begin()
    third.send(record(topic, 'three'))
    await third.commit()
    expect(await readValues(impatient, topic)).toEqual(['one', 'two', 'three'])
  })
})
