import { UserError } from '../../errors.ts'
import { brokerErrorCodes, checkAnswer, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { initProducerIdRequest } from '../connection/requests.ts'

/** What a producer is known by to the brokers. */
export interface ProducerSession {
  readonly producerId: bigint
  readonly epoch: number
  /** Numbers the batches of each partition as long as the epoch lasts. */
  readonly sequences: Sequences
}

/** Sequence numbers of an epoch. A leader that has stored a number takes no other batch for it (KIP-98). */
export interface Sequences {
  /** The number of the next record of a partition, from 0. Takes `count` of them. */
  take(topic: string, partition: number, count: number): number
}

/**
 * Opens the session of a transactional id with producer id and epoch −1, which aborts the transaction of whoever held it
 * and fences them. While that transaction is being completed the coordinator answers 51, which is waited for. Where the
 * epochs of a producer id are used up, it gives a new id.
 *
 * The current id and epoch would be no substitute: the coordinator answers a false 90 to them before KIP-890 with a
 * transaction open, and since then after it was moved.
 */
export async function openSession(
  cluster: Cluster,
  { id, transactionTimeoutMs }: { readonly id: string; readonly transactionTimeoutMs: number },
): Promise<ProducerSession> {
  return cluster.onCoordinator(`opening writer "${id}"`, id, async (connection) => {
    const answer = await connection.request(initProducerIdRequest, id, transactionTimeoutMs, -1n, -1)
    if (answer.errorCode === brokerErrorCodes.INVALID_TRANSACTION_TIMEOUT) {
      throw new UserError(
        'unsupported_broker',
        `Kafka refuses a transaction timeout of ${transactionTimeoutMs} ms: its transaction.max.timeout.ms is lower. ` +
          'Raise it there, or ask for a shorter timeout.',
      )
    }
    checkAnswer(answer.errorCode, `opening writer "${id}"`, { request: 'InitProducerId', transactionalId: id })
    return createSession(answer.producerId, answer.producerEpoch)
  })
}

/** Opens a session for writing outside of transactions, each record once (KIP-98). */
export async function openIdempotentSession(cluster: Cluster): Promise<ProducerSession> {
  return cluster.onAny('opening a producer', async (connection) => {
    const answer = await connection.request(initProducerIdRequest, null, 0, -1n, -1)
    checkAnswer(answer.errorCode, 'opening a producer', { request: 'InitProducerId' })
    return createSession(answer.producerId, answer.producerEpoch)
  })
}

/** The session of an epoch in which nothing has been produced. */
export function createSession(producerId: bigint, epoch: number): ProducerSession {
  const next = new Map<string, number>()
  return {
    producerId,
    epoch,
    sequences: {
      take(topic, partition, count) {
        const place = `${topic}/${partition}`
        const sequence = next.get(place) ?? 0
        next.set(place, (sequence + count) % sequencesPerPartition)
        return sequence
      },
    },
  }
}

/** After the highest sequence number, 2³¹ − 1, they begin again. */
const sequencesPerPartition = 2 ** 31

/**
 * Whether the brokers no longer take the session: it was fenced, timed out or forgotten. What they say does not tell a
 * timeout from another run: the claim does.
 *
 * 47 is said of a batch; of the end of a transaction 48 after a timeout and 90 when fenced (KIP-890), before it always 90.
 */
export function isSessionLost(error: unknown): boolean {
  return (
    isSessionExpired(error) ||
    hasBrokerCode(
      error,
      brokerErrorCodes.INVALID_PRODUCER_EPOCH,
      brokerErrorCodes.INVALID_TXN_STATE,
      brokerErrorCodes.PRODUCER_FENCED,
    )
  )
}

/** Whether the writer had been idle for so long that its id was forgotten: seven days by default. */
export function isSessionExpired(error: unknown): boolean {
  return hasBrokerCode(error, brokerErrorCodes.INVALID_PRODUCER_ID_MAPPING)
}
