import { setTimeout as delay } from 'node:timers/promises'
import { CommitUnknownError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { BrokerError, brokerErrorCodes, hasBrokerCode, isTransient } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { longestPause } from '../connection/retry.ts'
import { isSessionLost, type ProducerSession } from './producer-session.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'

export interface EndTransactionOptions {
  readonly protocol: TransactionProtocol
  readonly transaction: OpenTransaction
  readonly committed: boolean
}

export interface EndedTransaction {
  /** The session of the next transaction. */
  readonly next: ProducerSession
  /** Whether every request was answered, so that none can come late. */
  readonly answered: boolean
}

/**
 * Ends a transaction that has records. Resolves when its records are visible, or gone.
 *
 * The first OK says that the outcome is decided, not that the markers are written: readers would not see it all yet, and
 * a Produce that came now would wait inside the broker for 20 ms (`add.partitions.to.txn.retry.backoff.ms`). So the
 * identical request is repeated, answered 51 while markers are on their way, until a second OK. Without an answer it is
 * repeated as well, on a fresh connection to the coordinator found anew: an OK then still says that *this* transaction
 * has been ended so. With KIP-890 its epoch says so, and before it that the coordinator had been told of its partitions.
 *
 * @throws {BrokerError} refused, with a code for which `isSessionLost` may hold.
 * @throws {CommitUnknownError} what became of a commit could not be learnt within the budget.
 * @throws {QueueUnavailableError} the coordinator could not be asked at all.
 */
export async function endTransaction(cluster: Cluster, options: EndTransactionOptions): Promise<EndedTransaction> {
  const { protocol, transaction, committed } = options
  const what = `ending the transaction of "${transaction.transactionalId}"`
  const begun = performance.now()
  let busy = 0
  let decided: ProducerSession | undefined
  let answered = true
  /** Whether a request that may have had its effect was not answered, or answered without saying so. */
  let uncertain = false

  async function ask(connection: BrokerConnection): Promise<ProducerSession> {
    const attempted = performance.now()
    while (performance.now() - attempted < attemptMs) {
      const uncertainBefore = uncertain
      // From here on it may have left, whatever becomes of this attempt: the budget may end before the answer comes.
      uncertain = true
      const answer = await protocol.end(connection, transaction, committed).catch((error: unknown) => {
        answered = false
        throw error
      })
      if (answer.errorCode === brokerErrorCodes.NONE) {
        // Only the second answer knows the new producer id where the epochs of the old are used up.
        if (decided) return answer.next
        decided = answer.next
      } else if (answer.errorCode === brokerErrorCodes.CONCURRENT_TRANSACTIONS) {
        uncertain = uncertainBefore
        await pauseForMarkers(busy++, performance.now() - begun)
      } else {
        const { transactionalId } = transaction
        const refusal = new BrokerError(answer.errorCode, what, { request: 'EndTxn', transactionalId })
        if (decided && isSessionLost(refusal)) {
          // Only a complete transaction lets another run take the id over.
          if (await cluster.coordinators.confirm(transactionalId)) return decided
          throw new BrokerError(brokerErrorCodes.NOT_COORDINATOR, what)
        }
        // A coordinator that is moving may have written the outcome before it says 15 or 16.
        if (!isTransient(refusal)) uncertain = uncertainBefore
        throw refusal
      }
    }
    throw new BrokerError(brokerErrorCodes.CONCURRENT_TRANSACTIONS, 'its markers are not written')
  }

  try {
    const next = await cluster.onCoordinator(what, transaction.transactionalId, ask, { lane: transaction.lane })
    return { next, answered }
  } catch (error) {
    const timedOut = hasBrokerCode(error, brokerErrorCodes.INVALID_TXN_STATE)
    const unknown = committed && !timedOut && (decided !== undefined || uncertain)
    throw unknown ? new CommitUnknownError(transaction.transactionalId, { cause: error }) : error
  }
}

/** After so long the coordinator is looked for again: one that was replaced may not know it. */
const attemptMs = 4_000

/** Markers take a millisecond or two: at first the answer's own round trip is pause enough. */
async function pauseForMarkers(tries: number, elapsedMs: number): Promise<void> {
  if (tries >= immediateTries) await delay(Math.min(2 ** (tries - immediateTries), longestPause(elapsedMs)))
}

const immediateTries = 10
