import { joinRuns, type Run, sliceRun } from '../history/run.ts'

/** The newest records of a topic, as runs that lie one after the other, up to a number of bytes. */
export interface Ring {
  /** The lowest offset it holds. */
  readonly from: bigint
  /** The offset after everything it has been given. */
  readonly to: bigint
  /** Takes in what follows; with `join` as a part of the newest run, where the two are small enough. */
  push(run: Run, options?: { readonly join: boolean }): void
  /** Holds nothing, and is given what follows on an offset. */
  restart(at: bigint): void
  /** The records it holds from an offset on, up to the end of the run they are in; `undefined` where there is none. */
  at(offset: bigint): Run | undefined
}

/** Bytes of records that go to a client in one piece. */
const joinedBytes = 64 << 10

export function createRing(start: bigint, maxBytes: number): Ring {
  const runs: Run[] = []
  let from = start
  let to = start
  let heldBytes = 0
  return {
    get from() {
      return from
    },
    get to() {
      return to
    },
    push(run, { join } = { join: false }) {
      const last = runs.at(-1)
      // Topics whose transactions are aborted for ever would otherwise be held as ever more runs of no bytes.
      if (last && run.records.length === 0) runs[runs.length - 1] = { ...last, to: run.to }
      else if (join && last && last.topic === run.topic && last.byteLength + run.byteLength <= joinedBytes)
        runs[runs.length - 1] = joinRuns(last, run)
      else runs.push(run)
      to = run.to
      heldBytes += run.byteLength
      let gone = 0
      while (heldBytes > maxBytes && gone < runs.length - 1) heldBytes -= runs[gone++]!.byteLength
      if (gone > 0) runs.splice(0, gone)
      from = runs[0]!.from
    },
    restart(at) {
      runs.length = 0
      heldBytes = 0
      from = at
      to = at
    },
    at(offset) {
      if (offset < from || offset >= to) return undefined
      const last = runs.at(-1)!
      return sliceRun(offset >= last.from ? last : runs[indexOf(offset)]!, offset)
    },
  }

  function indexOf(offset: bigint): number {
    let low = 0
    let high = runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (runs[middle]!.from <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}
