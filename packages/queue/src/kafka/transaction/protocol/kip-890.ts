import { endTxnV5 } from '../../connection/end-txn-request.ts'
import { produceV12 } from '../../connection/produce-request.ts'
import { createSession } from '../producer-session.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'

/**
 * Transactions of KIP-890, part 2: Kafka 4.0 and newer at `transaction.version` 2. Each has its own epoch, in which
 * sequence numbers start at 0. A late request has an old epoch and is refused: Produce with 47, EndTxn with 90.
 */
export const kip890: TransactionProtocol = {
  name: 'TV2',
  produceRequest: produceV12,
  addPartitions: null,
  async end(connection, { transactionalId, session: { producerId, epoch } }, committed) {
    const answer = await connection.request(endTxnV5, { transactionalId, producerId, epoch, committed })
    return { errorCode: answer.errorCode, next: createSession(answer.producerId, answer.epoch) }
  },
  lateRequestsAct: false,
}
