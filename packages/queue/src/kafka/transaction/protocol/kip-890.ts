import { endTxnV5 } from '../../connection/end-txn-request.ts'
import { produceV12 } from '../../connection/produce-request.ts'
import { createSession } from '../producer-session.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'

/**
 * Transactions by KIP-890, part 2: brokers since 4.0 at feature level `transaction.version` 2.
 *
 * Each transaction has an epoch of its own. The answer to EndTxn carries the next one, or a new producer id where the
 * epochs of the old are used up, and sequence numbers begin at 0 with it. A request that comes late has the epoch of a
 * transaction that is over and is refused: Produce with 47, EndTxn with 90.
 */
export const kip890: TransactionProtocol = {
  name: 'TV2',
  produceRequest: produceV12,
  join: null,
  async end(connection, { transactionalId, session: { producerId, epoch } }, committed) {
    const answer = await connection.request(endTxnV5, { transactionalId, producerId, epoch, committed })
    return { errorCode: answer.errorCode, next: createSession(answer.producerId, answer.epoch) }
  },
  lateRequestsAct: false,
}
