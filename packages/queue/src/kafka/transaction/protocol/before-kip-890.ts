import type { TopicPartition } from '../../../queue.ts'
import type { BrokerConnection } from '../../connection/broker-connection.ts'
import { BrokerError, brokerErrorCodes, checkAnswer } from '../../connection/broker-error.ts'
import type { Cluster } from '../../connection/cluster.ts'
import { endTxnV3 } from '../../connection/end-txn-request.ts'
import { produceV9 } from '../../connection/produce-request.ts'
import { addPartitionsToTxnRequest } from '../../connection/requests.ts'
import type { OpenTransaction, TransactionProtocol } from './transaction-protocol.ts'

/**
 * Transactions by KIP-98 with the checks of KIP-890, part 1: brokers since 3.6 below feature level
 * `transaction.version` 2.
 *
 * An epoch, and the sequence numbers in it, last for as many transactions as go well. Partitions are added to a
 * transaction by the coordinator, before the first batch goes to them.
 *
 * So a request that comes late is one of the transaction that is open then: a batch that was given up is committed with
 * it, and an EndTxn that was repeated long ago commits the half of it (both seen). One that adds partitions does no harm.
 */
export const beforeKip890: TransactionProtocol = {
  name: 'TV1',
  produceRequest: produceV9,
  join: addPartitions,
  async end(connection, { transactionalId, session }, committed) {
    const { producerId, epoch } = session
    const answer = await connection.request(endTxnV3, { transactionalId, producerId, epoch, committed })
    return { errorCode: answer.errorCode, next: session }
  },
  lateRequestsAct: true,
}

/** Answered 51 as long as markers of the transaction before are on their way: a millisecond or two. */
async function addPartitions(
  cluster: Cluster,
  transaction: OpenTransaction,
  partitions: readonly TopicPartition[],
): Promise<void> {
  const { transactionalId, session, lane } = transaction
  const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([name, places]) => ({
    name,
    partitions: places.map(({ partition }) => partition),
  }))
  const { producerId, epoch: producerEpoch } = session
  const request = [{ transactionalId, producerId, producerEpoch, verifyOnly: false, topics }]
  const what = `adding partitions to the transaction of "${transactionalId}"`

  async function ask(connection: BrokerConnection): Promise<void> {
    for (let tries = 1; ; tries++) {
      const answer = await connection.request(addPartitionsToTxnRequest, request)
      const results = answer.resultsByTransaction.flatMap(({ topicResults }) =>
        topicResults.flatMap(({ name: topic, resultsByPartition }) =>
          resultsByPartition.map(({ partitionErrorCode: code }) => ({ topic, code })),
        ),
      )
      const codes = results.map(({ code }) => code)
      const busy = codes.includes(brokerErrorCodes.CONCURRENT_TRANSACTIONS)
      if (busy && tries < immediateTries) continue
      if (codes.includes(brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION)) await findAgain(cluster, partitions)
      // Beside the partition that was refused, the others say only that they were not attempted (55).
      const refused = results.find(({ code }) => code !== brokerErrorCodes.NONE && code !== operationNotAttempted)
      if (refused) {
        throw new BrokerError(refused.code, what, {
          request: 'AddPartitionsToTxn',
          topic: refused.topic,
          transactionalId,
        })
      }
      for (const code of codes) checkAnswer(code, what)
      return
    }
  }

  await cluster.onCoordinator(what, transactionalId, ask, { lane })
}

/** Whether the coordinator has not heard of a new topic, or nobody knows it: then this throws `UnknownTopicError`. */
async function findAgain(cluster: Cluster, partitions: readonly TopicPartition[]): Promise<void> {
  for (const { topic } of partitions) cluster.metadata.forget(topic)
  for (const { topic, partition } of partitions) await cluster.metadata.leader(topic, partition)
}

/** The answer's own round trip is pause enough for so many times; then it is 1 ms, growing to 50. */
const immediateTries = 4

const operationNotAttempted = 55
