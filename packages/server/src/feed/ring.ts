import { joinRuns, type Run, sliceRun } from '../history/run.ts'

export interface Ring {
  readonly from: bigint
  readonly to: bigint
  push(run: Run, options?: { readonly join: boolean }): void
  restart(at: bigint): void
  at(offset: bigint): Run | undefined
}

/** The size of one write to a client. */
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
      // Aborted transactions would add empty runs without bound.
      if (last && run.records.length === 0) runs[runs.length - 1] = { ...last, to: run.to }
      else if (join && last && last.topic === run.topic && last.byteLength + run.byteLength <= joinedBytes)
        runs[runs.length - 1] = joinRuns(last, run)
      else runs.push(run)
      to = run.to
      heldBytes += run.byteLength
      let evicted = 0
      while (heldBytes > maxBytes && evicted < runs.length - 1) heldBytes -= runs[evicted++]!.byteLength
      if (evicted > 0) runs.splice(0, evicted)
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
