import { QueueUnavailableError, TransactionAbortedError } from '../../errors.ts'
import type { Transaction, Writer, WriterOptions } from '../../queue.ts'
import type { Engine } from '../engine.ts'
import { createRecordBuffer, type RecordBuffer } from './record-buffer.ts'

/** A transaction is only a buffer until it is committed, so it holds no lock and never times out. */
export async function openWriter(engine: Engine, { id, claim }: WriterOptions): Promise<Writer> {
  const { lock, writers, closing } = engine
  const claimed = await writers.claim(id, claim)
  const buffer = createRecordBuffer(engine)
  let closed = false
  let idle = true
  let committing: Promise<void> | undefined

  async function write(): Promise<void> {
    try {
      const grown = await lock.run(() => {
        writers.check(id, claimed)
        return buffer.writeAll()
      })
      engine.notifyCommitted(grown)
    } catch (error) {
      if (!(error instanceof QueueUnavailableError)) throw error
      throw new TransactionAbortedError(`The transaction of "${id}" was refused: ${error.message}`, { cause: error })
    }
  }

  function end(): void {
    buffer.clear()
    idle = true
  }

  return {
    begin() {
      if (closed || closing.aborted) throw new TypeError(`The writer "${id}" has been closed.`)
      if (!idle) throw new TypeError('The previous transaction has neither been committed nor aborted.')
      idle = false
      return createTransaction(buffer, {
        commit: async () => {
          if (closed) throw new TypeError(`The writer "${id}" has been closed.`)
          committing = buffer.empty ? Promise.resolve() : write()
          await committing
        },
        end,
      })
    },
    checkClaim: () => lock.run(() => writers.check(id, claimed)),
    async close() {
      closed = true
      await committing?.catch(() => {})
      end()
    },
  }
}

/** `open` allows every call, `refused` only `abort`, `committing` and `ended` none. */
type State = 'open' | 'committing' | 'refused' | 'ended'

function createTransaction(
  buffer: RecordBuffer,
  { commit, end }: { commit: () => Promise<void>; end: () => void },
): Transaction {
  let state: State = 'open'

  function allowOnly(...allowed: State[]): void {
    if (!allowed.includes(state)) throw new TypeError(`The transaction is ${state}.`)
  }

  return {
    send(record) {
      if (state !== 'open') allowOnly('open')
      buffer.add(record)
    },
    // Never waits: what exceeds the buffer is written to a file.
    drain: () => Promise.resolve(),
    async commit() {
      allowOnly('open')
      state = 'committing'
      try {
        await commit()
      } catch (error) {
        state = 'refused'
        throw error
      }
      state = 'ended'
      end()
    },
    async abort() {
      allowOnly('open', 'refused')
      state = 'ended'
      end()
    },
  }
}
