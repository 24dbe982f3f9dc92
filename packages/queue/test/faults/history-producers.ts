import { randomUUID } from 'node:crypto'
import { TransactionAbortedError } from '@headrace/queue'
import { Kafka, logLevel, Partitioners, type Producer, type Transaction } from 'kafkajs'
import type { Queue, Transaction as QueueTransaction, Writer } from '../../src/index.ts'

export interface HistoryRecord {
  readonly partition: number
  readonly key: string
  readonly value: string
}

/** A producer of transactions that continues after any outcome of one. */
export interface HistoryProducer {
  readonly kind: 'own' | 'kafkajs'
  /** Whether the broker times its transactions out within some seconds. */
  readonly timesOut: boolean
  send(topic: string, records: readonly HistoryRecord[]): Promise<void>
  /** Returns whether it was committed, and not refused. */
  commit(): Promise<boolean>
  abort(): Promise<void>
  close(): Promise<void>
}

/** The producer of this engine. A batch is sent when it has the maximum size of its topic. */
export async function createOwnProducer(queue: Queue, { timesOut }: { timesOut: boolean }): Promise<HistoryProducer> {
  const transactionTimeoutMs = timesOut ? 3_000 : 60_000
  const writer: Writer = await queue.openWriter({ id: randomUUID(), claim: 'run', transactionTimeoutMs })
  let transaction: QueueTransaction | undefined

  async function abort(): Promise<void> {
    await transaction?.abort()
    transaction = undefined
  }

  return {
    kind: 'own',
    timesOut,
    async send(topic, records) {
      transaction ??= writer.begin()
      for (const { partition, key, value } of records) {
        transaction.send({ topic, partition, key: Buffer.from(key), value: Buffer.from(value), time: 1_000 })
      }
    },
    async commit() {
      try {
        await transaction?.commit()
        transaction = undefined
        return true
      } catch (error) {
        if (!(error instanceof TransactionAbortedError)) throw error
        await abort()
        return false
      }
    },
    abort,
    close: () => writer.close(),
  }
}

/** The producer of kafkajs. It does not recover from errors, so it is replaced by one with another id. */
export async function createKafkajsProducer(bootstrap: string): Promise<HistoryProducer> {
  const client = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, retry: { initialRetryTime: 5 } })
  let producer: Producer | undefined
  let transaction: Transaction | undefined

  async function begin(): Promise<Transaction> {
    producer ??= client.producer({
      ...{ transactionalId: randomUUID(), maxInFlightRequests: 1, idempotent: true, transactionTimeout: 60_000 },
      createPartitioner: Partitioners.DefaultPartitioner,
    })
    await producer.connect()
    return producer.transaction()
  }

  async function giveUp(): Promise<void> {
    await transaction?.abort().catch(() => {})
    await producer?.disconnect().catch(() => {})
    producer = undefined
    transaction = undefined
  }

  async function end(how: 'commit' | 'abort'): Promise<boolean> {
    try {
      await transaction?.[how]()
      transaction = undefined
      return how === 'commit'
    } catch {
      await giveUp()
      return false
    }
  }

  return {
    kind: 'kafkajs',
    timesOut: false,
    async send(topic, records) {
      try {
        transaction ??= await begin()
        await transaction.send({ topic, messages: records.map((record) => ({ ...record, timestamp: '1000' })) })
      } catch {
        await giveUp()
      }
    },
    commit: () => end('commit'),
    abort: async () => void (await end('abort')),
    close: giveUp,
  }
}
