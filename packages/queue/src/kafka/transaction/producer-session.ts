import { UserError } from '../../errors.ts'
import { brokerErrorCodes, checkAnswer, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { initProducerIdRequest } from '../connection/requests.ts'

/** What a producer is known by to the brokers. Each transaction has an epoch of its own (KIP-890). */
export interface ProducerSession {
  readonly producerId: bigint
  readonly epoch: number
}

/**
 * Opens the session of a transactional id with producer id and epoch −1, which aborts the transaction of whoever held it
 * and fences them. While that transaction is being completed the coordinator answers 51, which is waited for.
 *
 * With the current id and epoch instead, the coordinator answers a false 90 after it was moved.
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
    checkAnswer(answer.errorCode, `opening writer "${id}"`)
    return { producerId: answer.producerId, epoch: answer.producerEpoch }
  })
}

/** Opens a session for writing outside of transactions, each record once (KIP-98). */
export async function openIdempotentSession(cluster: Cluster): Promise<ProducerSession> {
  return cluster.onAny('opening a producer', async (connection) => {
    const answer = await connection.request(initProducerIdRequest, null, 0, -1n, -1)
    checkAnswer(answer.errorCode, 'opening a producer')
    return { producerId: answer.producerId, epoch: answer.producerEpoch }
  })
}

/**
 * Whether the brokers no longer take the session: it was fenced, timed out or forgotten. They say 47 on Produce, 48 on
 * EndTxn after a timeout, 90 when fenced and 49 after the id was idle for seven days, which does not tell a timeout from
 * another run: the claim does.
 */
export function isSessionLost(error: unknown): boolean {
  return hasBrokerCode(
    error,
    brokerErrorCodes.INVALID_PRODUCER_EPOCH,
    brokerErrorCodes.INVALID_TXN_STATE,
    brokerErrorCodes.INVALID_PRODUCER_ID_MAPPING,
    brokerErrorCodes.PRODUCER_FENCED,
  )
}
