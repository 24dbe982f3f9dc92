import {
  CommitUnknownError,
  FencedError,
  TransactionAbortedError,
  TransactionTimedOutError,
  UserError,
} from '../../errors.ts'
import type { Transaction, Writer } from '../../queue.ts'
import type { TopicDirectory } from '../admin/topic-directory.ts'
import { brokerErrorCodes, hasBrokerCode, isPermissionError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { asQueueError } from '../connection/retry.ts'
import { checkClaim } from './claim.ts'
import { createEncoderPool } from './encoder-pool.ts'
import { endTransaction } from './end-transaction.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { isSessionExpired, isSessionLost, openSession, type ProducerSession } from './producer-session.ts'
import type { OpenTransaction, TransactionProtocol } from './protocol/transaction-protocol.ts'
import { createTopicIdentity } from './topic-identity.ts'

export interface KafkaWriterOptions {
  readonly cluster: Cluster
  readonly protocol: TransactionProtocol
  readonly directory: TopicDirectory
  readonly id: string
  readonly claim: string
  readonly transactionTimeoutMs: number
  /** Lane of its connections. */
  readonly lane: string
  /** Called when the writer has been closed. */
  readonly onClosed: () => void
}

/**
 * Where a transaction stands.
 * `open` takes records, `ending` is being committed or aborted, `refused` can only be aborted, `ended` is over.
 */
type Phase = 'open' | 'ending' | 'refused' | 'ended'

/** Opens the session of a writer whose claim has been appended. Throws `FencedError` if a newer claim is there. */
export async function openKafkaWriter(options: KafkaWriterOptions): Promise<Writer> {
  const { cluster, protocol, directory, id, lane } = options
  const encoders = createEncoderPool()
  const identity = createTopicIdentity(cluster.metadata)
  let session = await reopen(options)
  let sessionLost = false
  let unusable: Error | undefined
  let closed = false
  let current: Transaction | undefined
  let ending: Promise<void> = Promise.resolve()

  function begin(): Transaction {
    if (unusable) throw unusable
    if (closed) throw new TypeError('The writer is closed.')
    if (current) throw new TypeError('The transaction before has neither been committed nor aborted.')
    const transaction = { transactionalId: id, session, lane }
    const outbox = createOutbox({ cluster, protocol, transaction, identity, directory, encoders })
    let phase: Phase = 'open'

    async function end(
      from: Phase[],
      work: (outbox: Outbox, transaction: OpenTransaction) => Promise<void>,
    ): Promise<void> {
      if (!from.includes(phase)) throw new TypeError(`The transaction is ${phase}.`)
      phase = 'ending'
      const working = work(outbox, transaction)
      ending = working.catch(() => {})
      try {
        await working
        phase = 'ended'
        current = undefined
      } catch (error) {
        phase = 'refused'
        throw error
      }
    }

    current = {
      send(record) {
        if (phase !== 'open') throw new TypeError(`The transaction is ${phase}.`)
        outbox.add(record)
      },
      drain: () => outbox.drained(),
      commit: () => end(['open'], commit),
      abort: () => end(['open', 'refused'], abort),
    }
    return current
  }

  async function commit(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    // The coordinator would answer 48 for a transaction that it has never heard of.
    if (outbox.empty) return
    try {
      await outbox.flush()
      const { next, answered } = await endTransaction(cluster, { protocol, transaction, committed: true })
      session = next
      if (answered || !protocol.lateRequestsAct) return
    } catch (error) {
      throw await explainRefusal(error)
    }
    // The transaction is committed: what goes wrong now is said by the next `begin`.
    await renewSession().catch(retire)
  }

  async function explainRefusal(error: unknown): Promise<Error> {
    if (error instanceof CommitUnknownError) return retire(error)
    if (error instanceof UserError) return error
    if (isPermissionError(error)) return asQueueError(error, `writing as "${id}"`, cluster.principal)
    const message = `The transaction of "${id}" was refused: ${(error as Error).message}`
    // The topic takes less than when it was looked up: from now on `send` says so of the record.
    if (hasBrokerCode(error, brokerErrorCodes.MESSAGE_TOO_LARGE)) await directory.load(null)
    if (!isSessionLost(error)) return new TransactionAbortedError(message, { cause: error })
    sessionLost = true
    try {
      await checkClaim(cluster, options)
      cluster.log.warn({ writer: id, err: error }, 'the brokers gave the transaction up, the writer is opened anew')
      return isSessionExpired(error)
        ? new TransactionAbortedError(message, { cause: error })
        : new TransactionTimedOutError(id, { cause: error })
    } catch (failure) {
      if (failure instanceof FencedError) return retire(failure)
      return new TransactionAbortedError(message, { cause: error })
    }
  }

  async function abort(outbox: Outbox, transaction: OpenTransaction): Promise<void> {
    await outbox.discard()
    if (unusable) throw unusable
    if (outbox.begun && outbox.failed && protocol.lateRequestsAct) sessionLost = true
    if (outbox.begun && !sessionLost) {
      try {
        const { next, answered } = await endTransaction(cluster, { protocol, transaction, committed: false })
        session = next
        sessionLost = !answered && protocol.lateRequestsAct
      } catch (error) {
        if (!isSessionLost(error)) throw error
        sessionLost = true
      }
    }
    if (sessionLost) await renewSession()
  }

  async function renewSession(): Promise<void> {
    try {
      session = await reopen(options)
      sessionLost = false
    } catch (error) {
      throw error instanceof FencedError ? retire(error) : error
    }
  }

  function retire<E extends Error>(error: E): E {
    unusable = error
    return error
  }

  return {
    begin,
    async close() {
      if (closed) return
      closed = true
      await ending
      await current?.abort().catch(() => {})
      cluster.connections.closeLane(lane)
      options.onClosed()
    },
  }
}

/**
 * A reopening writes no claim: it reads whose is the newest before anything is produced. And before it fences anyone:
 * a run that is no longer the newest must not disturb the one that is.
 */
async function reopen(options: KafkaWriterOptions): Promise<ProducerSession> {
  await checkClaim(options.cluster, options)
  const session = await openSession(options.cluster, options)
  await checkClaim(options.cluster, options)
  return session
}
