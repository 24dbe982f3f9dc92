import type { Transaction, Writer } from '../../queue.ts'
import { checkClaim } from './claim.ts'
import { createEncoderPool } from './encoder-pool.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { OpenTransaction } from './protocol/transaction-protocol.ts'
import { createTopicIdentity } from './topic-identity.ts'
import { openWriterSession, type WriterSessionOptions } from './writer-session.ts'

export interface KafkaWriterOptions extends WriterSessionOptions {
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

/** Opens a writer whose claim has been appended. Throws `FencedError` if a newer claim is there. */
export async function openKafkaWriter(options: KafkaWriterOptions): Promise<Writer> {
  const { cluster, id, lane } = options
  const session = await openWriterSession(options)
  const outboxOptions = { ...options, encoders: createEncoderPool(), identity: createTopicIdentity(cluster.metadata) }
  let closed = false
  let current: Transaction | undefined
  let ending: Promise<void> = Promise.resolve()

  function begin(): Transaction {
    if (closed) throw new TypeError('The writer is closed.')
    // A writer that is fenced stays so, and its last transaction cannot be ended.
    const transaction = { transactionalId: id, session: session.current(), lane }
    if (current) throw new TypeError('The transaction before has neither been committed nor aborted.')
    const outbox = createOutbox({ ...outboxOptions, transaction })
    let phase: Phase = 'open'

    async function end(
      from: readonly Phase[],
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
      drain: outbox.drained,
      commit: () => end(['open'], session.commit),
      abort: () => end(['open', 'refused'], session.abort),
    }
    return current
  }

  return {
    begin,
    checkClaim: () => checkClaim(cluster, options),
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
