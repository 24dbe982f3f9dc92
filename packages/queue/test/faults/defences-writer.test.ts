import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import type { Queue, Transaction } from '../../src/index.ts'
import type * as EndTransaction from '../../src/kafka/transaction/end-transaction.ts'
import type * as BeforeKip890 from '../../src/kafka/transaction/protocol/before-kip-890.ts'
import { brokerAddresses, readValues, record, uniqueName } from '../kafka-fixture.ts'
import { apiKeys, useProxiedKafka } from './proxied-kafka.ts'

// Each scenario is run with a defence on, and without it: then the damage must be there, or the test would see nothing.

const requestTimeoutMs = 1_500
const counts = { once: 1, scaled: 3, full: 10 }

let queue: Queue
let other: Queue
let topic: string

beforeEach(() => {
  topic = uniqueName('defences')
})
afterEach(async () => {
  await queue?.close()
  await other?.close()
  vi.doUnmock('../../src/kafka/transaction/claim.ts')
  vi.doUnmock('../../src/kafka/transaction/end-transaction.ts')
  vi.doUnmock('../../src/kafka/transaction/protocol/before-kip-890.ts')
})

/** Opens two queues with the modules as they are mocked now. */
async function openQueues(bootstrap: string): Promise<void> {
  vi.resetModules()
  const { createKafkaQueue } = await import('../../src/kafka/kafka-queue.ts')
  const options = {
    bootstrap: brokerAddresses(bootstrap),
    settings: { requestTimeoutMs, compression: 'none' },
  } as const
  queue = await createKafkaQueue(options)
  other = await createKafkaQueue(options)
  await queue.createTopics([{ name: topic }])
}

function begin(writer: { begin(): Transaction }, ...values: string[]): Transaction {
  const transaction = writer.begin()
  for (const value of values) transaction.send(record(topic, value))
  return transaction
}

/** Commits; where that is refused, aborts and does it again, as a runtime does. */
async function publish(writer: { begin(): Transaction }, value: string): Promise<void> {
  const transaction = begin(writer, value)
  try {
    await transaction.commit()
  } catch (error) {
    if (!/^transaction_/.test((error as { code: string }).code)) throw error
    await transaction.abort()
    await publish(writer, value)
  }
}

describe.skipIf(inject('kafka') === null)('under TV2', () => {
  const kafka = useProxiedKafka({ transactionVersion: 2 })

  /** An older run is about to write what a newer one has written. */
  async function supersede(): Promise<unknown> {
    const older = await queue.openWriter({ id: topic, claim: 'older' })
    await publish(older, 'one')
    const newer = await other.openWriter({ id: topic, claim: 'newer' })
    await publish(newer, 'two')
    return publish(older, 'two').catch((error: unknown) => error)
  }

  it('the claim keeps a run that was superseded from writing', async () => {
    const plan = planFaults('claim', counts, ['superseded'])
    await openQueues(kafka.bootstrap)
    for (let round = 0; round < plan.count; round++) {
      topic = uniqueName('defences')
      await queue.createTopics([{ name: topic }])
      expect(await supersede()).toMatchObject({ code: 'fenced' })
      expect(await readValues(queue, topic)).toEqual(['one', 'two'])
      plan.hit('superseded')
    }
    plan.expectAllHit()
  })

  it('without the claim it writes again what the other has written', async () => {
    vi.doMock('../../src/kafka/transaction/claim.ts', () => ({
      claimWriter: async () => {},
      checkClaim: async () => {},
    }))
    await openQueues(kafka.bootstrap)
    expect(await supersede()).toBeUndefined()
    expect(await readValues(queue, topic)).toEqual(['one', 'two', 'two'])
  })

  async function loseCommitAnswer(): Promise<void> {
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const { happened } = kafka.proxy.inject({ apiKey: apiKeys.endTxn, what: 'answer', how: 'cut' })
    await publish(writer, 'one')
    await happened
    await writer.close()
  }

  it('the identical EndTxn finds out that a commit without an answer was one', async () => {
    const plan = planFaults('identical EndTxn', counts, ['answer lost'])
    await openQueues(kafka.bootstrap)
    for (let round = 0; round < plan.count; round++) {
      topic = uniqueName('defences')
      await queue.createTopics([{ name: topic }])
      await loseCommitAnswer()
      expect(await readValues(queue, topic)).toEqual(['one'])
      plan.hit('answer lost')
    }
    plan.expectAllHit()
  })

  it('without it the same records are committed twice', async () => {
    vi.doMock('../../src/kafka/transaction/end-transaction.ts', async (importOriginal) => {
      const original = await importOriginal<typeof EndTransaction>()
      const endTransaction: typeof EndTransaction.endTransaction = (cluster, options) => {
        if (!options.committed) return original.endTransaction(cluster, options)
        const onCoordinator: typeof cluster.onCoordinator = (what, id, attempt, lane) =>
          cluster.onCoordinator(
            what,
            id,
            (connection) =>
              attempt(connection).catch(() => {
                throw new Error('not repeated')
              }),
            lane,
          )
        return original.endTransaction({ ...cluster, onCoordinator }, options).catch(() => {
          throw new Error('taken for refused')
        })
      }
      return { ...original, endTransaction }
    })
    await openQueues(kafka.bootstrap)
    await loseCommitAnswer()
    expect(await readValues(queue, topic)).toEqual(['one', 'one'])
  })
})

describe.skipIf(inject('kafka') === null)('under TV1', () => {
  const kafka = useProxiedKafka({ transactionVersion: 0 })

  function switchEpochBumpOff(): void {
    vi.doMock('../../src/kafka/transaction/protocol/before-kip-890.ts', async (importOriginal) => {
      const { beforeKip890 } = await importOriginal<typeof BeforeKip890>()
      return { beforeKip890: { ...beforeKip890, lateRequestsAct: false } }
    })
  }

  /** A batch of a transaction that was given up comes when the next one has its partition. */
  async function produceLate(): Promise<void> {
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const late = kafka.proxy.inject({ apiKey: apiKeys.produce, what: 'request', how: 'hold' })
    const refused = begin(writer, 'never')
    await expect(refused.commit()).rejects.toMatchObject({ code: 'transaction_aborted' })
    await refused.abort()
    const next = kafka.proxy.inject({ apiKey: apiKeys.produce, what: 'request', how: 'hold' })
    const committing = begin(writer, 'one').commit()
    await next.happened
    await late.release()
    next.release()
    await committing
  }

  it('a new epoch refuses the late batch of a transaction that was given up', async () => {
    const plan = planFaults('epoch bump, Produce', counts, ['late batch'])
    await openQueues(kafka.bootstrap)
    for (let round = 0; round < plan.count; round++) {
      topic = uniqueName('defences')
      await queue.createTopics([{ name: topic }])
      await produceLate()
      expect(await readValues(queue, topic)).toEqual(['one'])
      plan.hit('late batch')
    }
    plan.expectAllHit()
  })

  it('without it that batch is committed with the next transaction', async () => {
    switchEpochBumpOff()
    await openQueues(kafka.bootstrap)
    await produceLate()
    expect(await readValues(queue, topic)).toEqual(['never', 'one'])
  })

  /** The first of two requests for a commit comes when half of the next transaction has been produced. */
  async function commitLate(): Promise<void> {
    const writer = await queue.openWriter({ id: topic, claim: 'run' })
    const late = kafka.proxy.inject({ apiKey: apiKeys.endTxn, what: 'request', how: 'hold' })
    await begin(writer, 'one').commit()
    const produced = kafka.proxy.passed(apiKeys.produce, 'answer')
    begin(writer, `half ${large}`, large)
    await produced
    await late.release()
  }

  async function readBeginnings(): Promise<string[]> {
    return (await readValues(other, topic)).map((value) => value.slice(0, 4))
  }

  it('a new epoch refuses the late request for a commit', async () => {
    const plan = planFaults('epoch bump, EndTxn', counts, ['late commit'])
    await openQueues(kafka.bootstrap)
    for (let round = 0; round < plan.count; round++) {
      topic = uniqueName('defences')
      await queue.createTopics([{ name: topic }])
      await commitLate()
      expect(await readBeginnings()).toEqual(['one'])
      plan.hit('late commit')
    }
    plan.expectAllHit()
  })

  it('without it half of the next transaction is committed', async () => {
    switchEpochBumpOff()
    await openQueues(kafka.bootstrap)
    await commitLate()
    // Its marker is written behind the answer.
    await vi.waitFor(async () => expect(await readBeginnings()).toEqual(['one', 'half']), 10_000)
  })
})

/** Two of them fill more than a batch. */
const large = 'x'.repeat(200_000)
