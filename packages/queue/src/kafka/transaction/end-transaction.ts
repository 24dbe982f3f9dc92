import { setTimeout as delay } from 'node:timers/promises'
import { CommitUnknownError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { BrokerError, brokerErrorCodes, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type EndTxnArguments, endTxnRequest } from '../connection/end-txn-request.ts'
import { isSessionLost, type ProducerSession } from './producer-session.ts'

export interface EndTransactionOptions {
  readonly transactionalId: string
  readonly session: ProducerSession
  readonly committed: boolean
  /** Lane of the writer's connections. */
  readonly lane: string
}

/**
 * Ends a transaction that has records and returns the session of the next one when its records are visible, or gone.
 *
 * The first OK says that the outcome is decided, not that the markers are written: a Produce that came now would wait
 * inside the broker for 20 ms (`add.partitions.to.txn.retry.backoff.ms`). So the identical request is repeated, answered
 * 51 while markers are on their way, until a second OK. Without an answer it is repeated as well, on a fresh connection
 * to the coordinator found anew: an OK then still says that *this* transaction has been ended so (KIP-890).
 *
 * @throws {BrokerError} refused, with a code for which `isSessionLost` may hold.
 * @throws {CommitUnknownError} what became of a commit could not be learnt within the budget.
 * @throws {QueueUnavailableError} the coordinator could not be asked at all.
 */
export async function endTransaction(cluster: Cluster, options: EndTransactionOptions): Promise<ProducerSession> {
  const { transactionalId, session, committed, lane } = options
  const request: EndTxnArguments = { transactionalId, ...session, committed }
  let decided: ProducerSession | undefined
  let unanswered = false

  async function ask(connection: BrokerConnection): Promise<ProducerSession> {
    for (let tries = 0; tries < triesPerAttempt; tries++) {
      const answer = await connection.request(endTxnRequest, request).catch((error: unknown) => {
        unanswered = true
        throw error
      })
      if (answer.errorCode === brokerErrorCodes.NONE) {
        if (decided) return decided
        decided = { producerId: answer.producerId, epoch: answer.epoch }
      } else if (answer.errorCode === brokerErrorCodes.CONCURRENT_TRANSACTIONS) {
        await pauseForMarkers(tries)
      } else {
        const refusal = new BrokerError(answer.errorCode, `ending the transaction of "${transactionalId}"`)
        // Only a complete transaction lets another run take the id over.
        if (decided && isSessionLost(refusal)) return decided
        throw refusal
      }
    }
    throw new BrokerError(brokerErrorCodes.CONCURRENT_TRANSACTIONS, `markers of "${transactionalId}" are not written`)
  }

  try {
    const what = `ending the transaction of "${transactionalId}"`
    return await cluster.onCoordinator(what, transactionalId, ask, { lane })
  } catch (error) {
    const timedOut = hasBrokerCode(error, brokerErrorCodes.INVALID_TXN_STATE)
    const unknown = committed && !timedOut && (decided !== undefined || unanswered)
    throw unknown ? new CommitUnknownError(transactionalId, { cause: error }) : error
  }
}

const triesPerAttempt = 100

/** Markers take a millisecond or two: at first the answer's own round trip is pause enough. */
async function pauseForMarkers(tries: number): Promise<void> {
  if (tries >= immediateTries) await delay(Math.min(2 ** (tries - immediateTries), 50))
}

const immediateTries = 10
