import type { Transaction, Writer } from './queue.ts'

/** Allows the calls of `Writer` and `Transaction` only in the right order. */
export interface TransactionStates extends Pick<Writer, 'close'> {
  /**
   * `open` is called unless the writer is closed, even if the previous transaction has not ended.
   *
   * @throws {TypeError} the previous transaction has not ended, or the writer is closed.
   */
  begin(open: () => Transaction): Transaction
}

/** `refused` can only be aborted. */
type State = 'open' | 'ending' | 'refused' | 'ended'

export function createTransactionStates(writerId: string): TransactionStates {
  let closing: Promise<void> | undefined
  let current: Transaction | undefined
  let ending: Promise<void> = Promise.resolve()

  function begin(open: () => Transaction): Transaction {
    if (closing) throw new TypeError(`The writer "${writerId}" is closed.`)
    const work = open()
    if (current) throw new TypeError('The previous transaction has neither been committed nor aborted.')
    let state: State = 'open'

    function allowOnly(...allowed: State[]): void {
      if (!allowed.includes(state)) throw new TypeError(`The transaction is ${state}.`)
    }

    async function end(step: () => Promise<void>, ...allowed: State[]): Promise<void> {
      allowOnly(...allowed)
      state = 'ending'
      const ended = step()
      ending = ended.catch(() => {})
      try {
        await ended
        state = 'ended'
        current = undefined
      } catch (error) {
        state = 'refused'
        throw error
      }
    }

    current = {
      send(record) {
        if (state !== 'open') allowOnly('open')
        work.send(record)
      },
      drain: work.drain,
      commit: () => end(work.commit, 'open'),
      abort: () => end(work.abort, 'open', 'refused'),
    }
    return current
  }

  async function close(): Promise<void> {
    await ending
    await current?.abort().catch(() => {})
  }

  return {
    begin,
    close() {
      closing ??= close()
      return closing
    },
  }
}
