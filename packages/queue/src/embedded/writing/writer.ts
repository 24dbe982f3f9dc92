import { QueueUnavailableError, TransactionAbortedError } from '../../errors.ts'
import type { Writer, WriterOptions } from '../../queue.ts'
import { createTransactionStates } from '../../transaction-states.ts'
import type { Engine } from '../engine.ts'
import { createRecordBuffer } from './record-buffer.ts'

/** A transaction is only a buffer until it is committed, so it holds no lock and never times out. */
export async function openWriter(engine: Engine, { id, claim, compression }: WriterOptions): Promise<Writer> {
  const { lock, writers, closing, notifyCommitted } = engine
  const claimed = await writers.claim(id, claim)
  const buffer = createRecordBuffer(engine, compression)
  const states = createTransactionStates(id)
  const checkClaim = () => writers.check(claimed)

  function writeAll() {
    checkClaim()
    return buffer.writeAll()
  }

  async function commit(): Promise<void> {
    try {
      if (!buffer.empty) notifyCommitted(await lock.run(writeAll))
      buffer.clear()
    } catch (error) {
      if (!(error instanceof QueueUnavailableError)) throw error
      throw new TransactionAbortedError(`The transaction of "${id}" was refused: ${error.message}`, { cause: error })
    }
  }

  return {
    begin: () =>
      states.begin(() => {
        if (closing.aborted) throw new TypeError(`The writer "${id}" is closed.`)
        // `drain` never waits: what exceeds the buffer is written to a file.
        return { send: buffer.add, drain: () => Promise.resolve(), commit, abort: async () => buffer.clear() }
      }),
    checkClaim: () => lock.run(checkClaim),
    close: states.close,
  }
}
