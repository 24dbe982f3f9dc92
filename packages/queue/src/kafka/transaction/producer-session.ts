import { UserError } from '../../errors.ts'
import type { WriterOptions } from '../../queue.ts'
import { brokerErrorCodes, checkAnswer, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { initProducerIdV4 } from '../connection/requests.ts'

export interface ProducerSession {
  readonly producerId: bigint
  readonly epoch: number
  /** Reserves `count` sequence numbers and returns the first. A leader stores each of an epoch once (KIP-98). */
  takeSequences(topic: string, partition: number, count: number): number
}

/**
 * Fences the previous holder of a transactional id and aborts its transaction, for which the coordinator answers 51 for
 * a while. Sends producer id and epoch as −1. For the current ones the coordinator may answer a wrong 90: before
 * KIP-890 if a transaction is open, and since then after it has moved.
 */
export async function openSession(cluster: Cluster, writer: Required<WriterOptions>): Promise<ProducerSession> {
  const { id, transactionTimeoutMs } = writer
  return cluster.onCoordinator(`opening writer "${id}"`, id, async (connection) => {
    const answer = await connection.request(initProducerIdV4.api, id, transactionTimeoutMs, -1n, -1)
    if (answer.errorCode === brokerErrorCodes.INVALID_TRANSACTION_TIMEOUT) {
      throw new UserError(
        'unsupported_broker',
        `Kafka refuses a transaction timeout of ${transactionTimeoutMs} ms: its transaction.max.timeout.ms is lower. ` +
          'Raise it at the brokers, or choose a shorter timeout.',
      )
    }
    checkAnswer(answer.errorCode, `opening writer "${id}"`, { request: 'InitProducerId', transactionalId: id })
    return createSession(answer.producerId, answer.producerEpoch)
  })
}

export async function openIdempotentSession(cluster: Cluster): Promise<ProducerSession> {
  return cluster.onAny('opening a producer', async (connection) => {
    const answer = await connection.request(initProducerIdV4.api, null, 0, -1n, -1)
    checkAnswer(answer.errorCode, 'opening a producer', { request: 'InitProducerId' })
    return createSession(answer.producerId, answer.producerEpoch)
  })
}

export function createSession(producerId: bigint, epoch: number): ProducerSession {
  const next = new Map<string, number>()
  return {
    producerId,
    epoch,
    takeSequences(topic, partition, count) {
      const place = `${topic}/${partition}`
      const sequence = next.get(place) ?? 0
      next.set(place, (sequence + count) % sequencesPerPartition)
      return sequence
    },
  }
}

/** Sequence numbers start again at 0 after the highest one, 2³¹ − 1. */
const sequencesPerPartition = 2 ** 31

/**
 * Whether the session was fenced, timed out or has expired: only the claim shows which. A batch is refused with 47.
 * EndTxn is refused with 48 after a timeout and 90 when fenced; before KIP-890 always with 90.
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

/** Whether the broker no longer knows the transactional id. By default this happens after seven idle days. */
export function isSessionExpired(error: unknown): boolean {
  return hasBrokerCode(error, brokerErrorCodes.INVALID_PRODUCER_ID_MAPPING)
}
