import {
  CommitUnknownError,
  FencedError,
  TransactionAbortedError,
  TransactionTimedOutError,
  UserError,
} from '../../errors.ts'
import type { Writer, WriterOptions } from '../../queue.ts'
import { createTransactionStates } from '../../transaction-states.ts'
import type { TopicDirectory } from '../admin/topic-directory.ts'
import { brokerErrorCodes, hasBrokerCode, isPermissionError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { asQueueError } from '../connection/retry.ts'
import { checkClaim } from './claim.ts'
import { endTransaction } from './end-transaction.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createEncoderPool } from './outgoing-batch.ts'
import { createIdentityCheck } from './produce-pipeline.ts'
import { isSessionExpired, isSessionLost, openSession, type ProducerSession } from './producer-session.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'

export interface KafkaWriterOptions extends Required<WriterOptions> {
  readonly cluster: Cluster
  readonly protocol: TransactionProtocol
  readonly directory: TopicDirectory
  readonly lane: string
  readonly onClosed: () => void
}

/** Opens a new session when the brokers refuse the current one. Throws `FencedError` if there is a newer claim. */
export async function openKafkaWriter(options: KafkaWriterOptions): Promise<Writer> {
  const { cluster, protocol, directory, id, lane } = options
  const states = createTransactionStates(id)
  const shared = { ...options, encoders: createEncoderPool(), checkIdentity: createIdentityCheck(cluster.metadata) }
  let session = await openClaimedSession(options)
  let mustReopen = false
  let unusable: unknown

  async function commit(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    // For a transaction without records the coordinator answers 48.
    if (outbox.empty) return
    try {
      await outbox.flush()
      const { next, answered } = await endTransaction(cluster, transaction, { committed: true })
      session = next
      if (answered || !protocol.lateRequestsAct) return
    } catch (error) {
      throw await explain(error)
    }
    // The transaction is committed. An error here concerns only the next one.
    await reopen().catch(retire)
  }

  async function explain(error: unknown): Promise<Error> {
    if (error instanceof CommitUnknownError) return retire(error)
    if (error instanceof UserError) return error
    if (isPermissionError(error)) return asQueueError(error, `writing as "${id}"`, cluster.principal)
    const refused = new TransactionAbortedError(`The transaction of "${id}" was refused: ${(error as Error).message}`, {
      cause: error,
    })
    // The limit of the topic was lowered: from now on `send` refuses such records.
    if (hasBrokerCode(error, brokerErrorCodes.MESSAGE_TOO_LARGE)) await directory.load(null).catch(() => {})
    if (!isSessionLost(error)) return refused
    mustReopen = true
    try {
      await checkClaim(cluster, options)
    } catch (failure) {
      return failure instanceof FencedError ? retire(failure) : refused
    }
    cluster.log.warn({ writer: id, err: error }, 'the brokers aborted the transaction, opening the writer again')
    return isSessionExpired(error) ? refused : new TransactionTimedOutError(id, { cause: error })
  }

  async function abort(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    await outbox.discard()
    if (unusable !== undefined) throw unusable
    const { begun, failure } = outbox.pipeline
    if (begun && failure !== undefined && protocol.lateRequestsAct) mustReopen = true
    if (begun && !mustReopen) {
      try {
        const { next, answered } = await endTransaction(cluster, transaction, { committed: false })
        session = next
        mustReopen = !answered && protocol.lateRequestsAct
      } catch (error) {
        // An unanswered request may act late: the next abort opens the session again.
        mustReopen = isSessionLost(error) || protocol.lateRequestsAct
        if (!isSessionLost(error)) throw error
      }
    }
    if (mustReopen) await reopen()
  }

  async function reopen(): Promise<void> {
    try {
      session = await openClaimedSession(options)
      mustReopen = false
    } catch (error) {
      throw error instanceof FencedError ? retire(error) : error
    }
  }

  function retire<E>(error: E): E {
    unusable = error
    return error
  }

  return {
    begin: () =>
      states.begin(() => {
        if (unusable !== undefined) throw unusable
        const transaction = { protocol, transactionalId: id, session, lane }
        const outbox = createOutbox({ ...shared, transaction })
        return {
          send: outbox.add,
          drain: outbox.pipeline.drained,
          commit: () => commit(outbox, transaction),
          abort: () => abort(outbox, transaction),
        }
      }),
    checkClaim: () => checkClaim(cluster, options),
    async close() {
      await states.close()
      cluster.connections.closeLane(lane)
      options.onClosed()
    },
  }
}

/** The claim is checked first, because an older run must not fence the newest one, and before anything is produced. */
async function openClaimedSession(options: KafkaWriterOptions): Promise<ProducerSession> {
  await checkClaim(options.cluster, options)
  const session = await openSession(options.cluster, options)
  await checkClaim(options.cluster, options)
  return session
}
