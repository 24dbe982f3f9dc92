import {
  CommitUnknownError,
  FencedError,
  TransactionAbortedError,
  TransactionTimedOutError,
  UserError,
} from '../../errors.ts'
import type { TopicDirectory } from '../admin/topic-directory.ts'
import { brokerErrorCodes, hasBrokerCode, isPermissionError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { asQueueError } from '../connection/retry.ts'
import { checkClaim } from './claim.ts'
import { endTransaction } from './end-transaction.ts'
import type { Outbox } from './outbox.ts'
import { isSessionExpired, isSessionLost, openSession, type ProducerSession } from './producer-session.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'

export interface WriterSessionOptions {
  readonly cluster: Cluster
  readonly protocol: TransactionProtocol
  readonly directory: TopicDirectory
  readonly id: string
  readonly claim: string
  readonly transactionTimeoutMs: number
}

/** The session of a writer from transaction to transaction: ends them, and opens it anew when the brokers refuse it. */
export interface WriterSession {
  /** The session of the next transaction. Throws why there will be none. */
  current(): ProducerSession
  /** Sends the rest and commits. Throws what `Transaction.commit` says. */
  commit(outbox: Outbox, transaction: OpenTransaction): Promise<void>
  /** Drops the rest and aborts. Throws what `Transaction.abort` says. */
  abort(outbox: Outbox, transaction: OpenTransaction): Promise<void>
}

/** Opens the session of a writer whose claim has been appended. Throws `FencedError` if a newer claim is there. */
export async function openWriterSession(options: WriterSessionOptions): Promise<WriterSession> {
  const { cluster, protocol, directory, id } = options
  let session = await reopen(options)
  let lost = false
  let unusable: unknown

  async function commit(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    // The coordinator would answer 48 for a transaction that it has never heard of.
    if (outbox.empty) return
    try {
      await outbox.flush()
      const { next, answered } = await endTransaction(cluster, { protocol, transaction, committed: true })
      session = next
      if (answered || !protocol.lateRequestsAct) return
    } catch (error) {
      throw await explain(error)
    }
    // The transaction is committed: what goes wrong now concerns the next one.
    await renew().catch(retire)
  }

  async function explain(error: unknown): Promise<Error> {
    if (error instanceof CommitUnknownError) return retire(error)
    if (error instanceof UserError) return error
    if (isPermissionError(error)) return asQueueError(error, `writing as "${id}"`, cluster.principal)
    const refused = new TransactionAbortedError(`The transaction of "${id}" was refused: ${(error as Error).message}`, {
      cause: error,
    })
    // The topic takes less than when it was looked up: from now on `send` says so of the record.
    if (hasBrokerCode(error, brokerErrorCodes.MESSAGE_TOO_LARGE)) await directory.load(null).catch(() => {})
    if (!isSessionLost(error)) return refused
    lost = true
    try {
      await checkClaim(cluster, options)
    } catch (failure) {
      return failure instanceof FencedError ? retire(failure) : refused
    }
    cluster.log.warn({ writer: id, err: error }, 'the brokers gave the transaction up, the writer is opened anew')
    return isSessionExpired(error) ? refused : new TransactionTimedOutError(id, { cause: error })
  }

  async function abort(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    await outbox.discard()
    if (unusable !== undefined) throw unusable
    if (outbox.begun && outbox.failed && protocol.lateRequestsAct) lost = true
    if (outbox.begun && !lost) {
      try {
        const { next, answered } = await endTransaction(cluster, { protocol, transaction, committed: false })
        session = next
        lost = !answered && protocol.lateRequestsAct
      } catch (error) {
        // What was not answered may come late: the next abort opens the session again.
        lost = isSessionLost(error) || protocol.lateRequestsAct
        if (!isSessionLost(error)) throw error
      }
    }
    if (lost) await renew()
  }

  async function renew(): Promise<void> {
    try {
      session = await reopen(options)
      lost = false
    } catch (error) {
      throw error instanceof FencedError ? retire(error) : error
    }
  }

  function retire<E>(error: E): E {
    unusable = error
    return error
  }

  return {
    current() {
      if (unusable !== undefined) throw unusable
      return session
    },
    commit,
    abort,
  }
}

/**
 * A reopening writes no claim: it reads whose is the newest before anything is produced. And before it fences anyone:
 * a run that is no longer the newest must not disturb the one that is.
 */
async function reopen(options: WriterSessionOptions): Promise<ProducerSession> {
  await checkClaim(options.cluster, options)
  const session = await openSession(options.cluster, options)
  await checkClaim(options.cluster, options)
  return session
}
