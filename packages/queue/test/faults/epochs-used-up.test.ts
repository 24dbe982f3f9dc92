import { Connection, describeTransactionsV0, initProducerIdV4 } from '@platformatic/kafka'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type KafkaBroker, startOwnKafka } from '../../../../scripts/kafka/start-kafka.ts'
import type { Queue, Writer } from '../../src/index.ts'
import { brokerAddresses, kafka, openKafkaAt, readValues, record, uniqueName } from '../kafka-fixture.ts'

/** Epochs are 16 bits. The highest is the coordinator's own: no producer gets it. */
const highestEpoch = 2 ** 15 - 2

// Under TV2 the end of a transaction uses up the last epoch, under TV1 only an opening does.
const protocols = [
  { protocol: 'TV2', transactionVersion: 2, lastEpoch: highestEpoch - 1 },
  { protocol: 'TV1', transactionVersion: 0, lastEpoch: highestEpoch },
] as const

// It takes tens of thousands of requests.
describe.skipIf(kafka === null || inject('faultScale') === 'once').for(protocols)(
  'a writer under $protocol whose epochs are used up',
  ({ transactionVersion, lastEpoch }) => {
    let broker: KafkaBroker
    let queue: Queue
    let connection: Connection

    beforeAll(async () => {
      const started = await startOwnKafka({ transactionVersion })
      if ('unavailable' in started) throw new Error(started.unavailable)
      broker = started
      queue = await openKafkaAt(broker.bootstrap)
      const [address] = brokerAddresses(broker.bootstrap)
      connection = new Connection('test')
      connection.on('error', () => {})
      await connection.connect(address!.host, address!.port)
    })
    afterAll(async () => {
      await connection?.close()
      await queue?.close()
      await broker?.stop()
    })

    it('goes on under another producer id', async () => {
      const topic = uniqueName('epochs')
      await queue.createTopics([{ name: topic }])
      const first = await queue.openWriter({ id: topic, claim: 'run' })
      await publish(first, topic, 'one')
      await first.close()
      const before = await useUpEpochs(topic)
      const writer = await queue.openWriter({ id: topic, claim: 'run' })
      for (const value of ['two', 'three', 'four', 'five']) await publish(writer, topic, value)
      expect(await readValues(queue, topic)).toEqual(['one', 'two', 'three', 'four', 'five'])
      const { transactionStates } = await describeTransactionsV0.api.async(connection, [topic])
      expect(transactionStates[0]!.producerId).not.toBe(before)
    })

    async function publish(writer: Writer, topic: string, value: string): Promise<void> {
      const transaction = writer.begin()
      transaction.send(record(topic, value))
      await transaction.commit()
    }

    /** Returns the producer id. */
    async function useUpEpochs(transactionalId: string): Promise<bigint> {
      for (;;) {
        const answer = await initProducerIdV4.api.async(connection, transactionalId, 60_000, -1n, -1)
        if (answer.producerEpoch >= lastEpoch) return answer.producerId
      }
    }
  },
)
