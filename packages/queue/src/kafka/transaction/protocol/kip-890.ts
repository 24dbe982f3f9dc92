import { endTxnV5 } from '../../connection/end-txn-request.ts'
import { produceV12 } from '../../connection/produce-request.ts'
import { createSession } from '../producer-session.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'

/**
 * Kafka 4.0 and newer at `transaction.version` 2 (KIP-890, part 2). Each transaction has its own epoch. A late request
 * has an old one and is refused: Produce with 47, EndTxn with 90.
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
