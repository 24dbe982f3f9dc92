import type { TopicPartition } from '../../../queue.ts'
import type { BrokerConnection } from '../../connection/broker-connection.ts'
import { BrokerError, brokerErrorCodes } from '../../connection/broker-error.ts'
import type { Cluster } from '../../connection/cluster.ts'
import { endTxnV3 } from '../../connection/end-txn-request.ts'
import { produceV9 } from '../../connection/produce-request.ts'
import { addPartitionsToTxnV3 } from '../../connection/requests.ts'
import type { OpenTransaction, TransactionProtocol } from './transaction-protocol.ts'

/**
 * Kafka 3.6 and newer below `transaction.version` 2 (KIP-98, and KIP-890, part 1). A late request acts on the
 * transaction that is open then: an abandoned batch is committed with it, and a repeated EndTxn commits half of it.
 * Only a late AddPartitionsToTxn does no harm.
 */
export const beforeKip890: TransactionProtocol = {
  name: 'TV1',
  produceRequest: produceV9,
  addPartitions,
  async end(connection, { transactionalId, session }, committed) {
    const { producerId, epoch } = session
    const answer = await connection.request(endTxnV3, { transactionalId, producerId, epoch, committed })
    return { errorCode: answer.errorCode, next: session }
  },
  lateRequestsAct: true,
}

async function addPartitions(
  cluster: Cluster,
  { transactionalId, session, lane }: OpenTransaction,
  partitions: readonly TopicPartition[],
): Promise<void> {
  const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([name, places]) => ({
    name,
    partitions: places.map(({ partition }) => partition),
  }))
  const { producerId, epoch: producerEpoch } = session
  const request = [{ transactionalId, producerId, producerEpoch, verifyOnly: false, topics }]
  const what = `adding partitions to the transaction of "${transactionalId}"`

  async function ask(connection: BrokerConnection): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { resultsByTransaction } = await connection.request(addPartitionsToTxnV3.api, request)
      const failures = resultsByTransaction
        .flatMap(({ topicResults }) => topicResults)
        .flatMap(({ name: topic, resultsByPartition: results }) =>
          results.map(({ partitionErrorCode: code }) => ({ topic, code })),
        )
        .filter(({ code }) => code !== brokerErrorCodes.NONE)
      const has = (wanted: number): boolean => failures.some(({ code }) => code === wanted)
      if (has(brokerErrorCodes.CONCURRENT_TRANSACTIONS) && tries < immediateTries) continue
      if (has(brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION)) await checkExistence(cluster, partitions)
      // If one partition is refused, the answer for the others is 55.
      const refusal = failures.find(({ code }) => code !== operationNotAttempted) ?? failures[0]
      if (!refusal) return
      const { topic, code } = refusal
      throw new BrokerError(code, what, { request: 'AddPartitionsToTxn', topic, transactionalId })
    }
  }

  await cluster.onCoordinator(what, transactionalId, ask, lane)
}

/** Throws `UnknownTopicError` unless the topics exist: the coordinator may not know a new topic yet. */
async function checkExistence(cluster: Cluster, partitions: readonly TopicPartition[]): Promise<void> {
  for (const { topic } of partitions) cluster.metadata.forget(topic)
  for (const { topic, partition } of partitions) await cluster.metadata.leader(topic, partition)
}

const immediateTries = 4

const operationNotAttempted = 55
