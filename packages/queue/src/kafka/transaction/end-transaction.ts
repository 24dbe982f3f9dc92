import { setTimeout as delay } from 'node:timers/promises'
import { CommitUnknownError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { BrokerError, brokerErrorCodes, hasBrokerCode, isTransient } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { longestPause } from '../connection/retry.ts'
import { isSessionLost, type ProducerSession } from './producer-session.ts'
import type { OpenTransaction } from './protocol/transaction-protocol.ts'

export interface EndedTransaction {
  readonly next: ProducerSession
  /** If not, a request may still reach the coordinator late. */
  readonly answered: boolean
}

/**
 * Ends a transaction that has records. Resolves when they are visible, or discarded: the first OK means that the
 * outcome is decided, the second that the markers are written. An OK refers to this transaction, by its epoch with
 * KIP-890, and before that because the coordinator knows its partitions.
 *
 * @throws {BrokerError} refused, perhaps because `isSessionLost`.
 * @throws {CommitUnknownError} the outcome of a commit was not known within the budget.
 * @throws {QueueUnavailableError} no request was sent within the budget.
 */
export async function endTransaction(
  cluster: Cluster,
  transaction: OpenTransaction,
  { committed }: { readonly committed: boolean },
): Promise<EndedTransaction> {
  const { transactionalId, protocol, lane } = transaction
  const what = `ending the transaction of "${transactionalId}"`
  const startedAt = performance.now()
  let busy = 0
  let decided: ProducerSession | undefined
  let answered = true
  /** A request may have taken effect although no answer has confirmed it. */
  let uncertain = false

  async function ask(connection: BrokerConnection): Promise<ProducerSession> {
    const attempted = performance.now()
    while (performance.now() - attempted < attemptMs) {
      const uncertainBefore = uncertain
      // The budget may be spent before the answer arrives.
      uncertain = true
      const answer = await protocol.end(connection, transaction, committed).catch((error: unknown) => {
        answered = false
        throw error
      })
      if (answer.errorCode === brokerErrorCodes.NONE) {
        // If the epochs of the producer id are used up, only the second answer has the new id.
        if (decided) return answer.next
        decided = answer.next
      } else if (answer.errorCode === brokerErrorCodes.CONCURRENT_TRANSACTIONS) {
        uncertain = uncertainBefore
        await pauseForMarkers(busy++, performance.now() - startedAt)
      } else {
        const refusal = new BrokerError(answer.errorCode, what, { request: 'EndTxn', transactionalId })
        if (decided && isSessionLost(refusal)) {
          // Another run can take over the id only after this transaction is complete.
          if (await cluster.coordinators.confirm(transactionalId)) return decided
          throw new BrokerError(brokerErrorCodes.NOT_COORDINATOR, what)
        }
        // A coordinator that moves may have written the outcome before it answers 15 or 16.
        if (!isTransient(refusal)) uncertain = uncertainBefore
        throw refusal
      }
    }
    throw new BrokerError(brokerErrorCodes.CONCURRENT_TRANSACTIONS, 'the markers are not written yet')
  }

  try {
    return { next: await cluster.onCoordinator(what, transactionalId, ask, lane), answered }
  } catch (error) {
    const timedOut = hasBrokerCode(error, brokerErrorCodes.INVALID_TXN_STATE)
    const unknown = committed && !timedOut && (decided !== undefined || uncertain)
    throw unknown ? new CommitUnknownError(transactionalId, { cause: error }) : error
  }
}

/** Time limit of an attempt. After it the coordinator is looked up again, because it may have been replaced. */
const attemptMs = 4_000

/** Markers take 1 to 2 ms. */
async function pauseForMarkers(tries: number, elapsedMs: number): Promise<void> {
  if (tries >= immediateTries) await delay(Math.min(2 ** (tries - immediateTries), longestPause(elapsedMs)))
}

const immediateTries = 10
