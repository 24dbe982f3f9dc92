import type { Writer } from '../../queue.ts'
import { createTransactionStates } from '../../transaction-states.ts'
import { checkClaim } from './claim.ts'
import { createOutbox } from './outbox.ts'
import { createEncoderPool } from './outgoing-batch.ts'
import { createIdentityCheck } from './produce-pipeline.ts'
import { openWriterSession, type WriterSessionOptions } from './writer-session.ts'

export interface KafkaWriterOptions extends WriterSessionOptions {
  readonly lane: string
  readonly onClosed: () => void
}

/** Throws `FencedError` if there is a newer claim. */
export async function openKafkaWriter(options: KafkaWriterOptions): Promise<Writer> {
  const { cluster, id, lane } = options
  const session = await openWriterSession(options)
  const outboxOptions = {
    ...options,
    encoders: createEncoderPool(),
    checkIdentity: createIdentityCheck(cluster.metadata),
  }
  const states = createTransactionStates(id)

  return {
    begin: () =>
      states.begin(() => {
        const transaction = { transactionalId: id, session: session.current(), lane }
        const outbox = createOutbox({ ...outboxOptions, transaction })
        return {
          send: outbox.add,
          drain: outbox.drained,
          commit: () => session.commit(outbox, transaction),
          abort: () => session.abort(outbox, transaction),
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
