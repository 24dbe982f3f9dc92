import type { Random } from '../../../testbed/random.ts'
import type { Call } from '../../../testbed/recorded-chain/answer-call.ts'
import { isApplicable, type ReplayFault } from '../../../testbed/recorded-chain/replay-fault.ts'

/** Chooses faults for the calls of a run. */
export interface FaultDeck {
  next(call: Call): ReplayFault | undefined
  /** Counts a fault that has occurred. */
  strike(fault: ReplayFault): void
}

export interface FaultDeckOptions {
  readonly random: Random
  readonly faults: readonly ReplayFault[]
  /** Number of times that each fault occurs. */
  readonly each: number
  /** Blocks over which the faults are spread. */
  readonly blocks: number
}

/** Requests for the head per stale answer. The head is requested much less often than blocks. */
const staleEvery = 3

/** Faults are random, and all occur before the last tenth of the blocks. */
export function createFaultDeck({ random, faults, each, blocks }: FaultDeckOptions): FaultDeck {
  const left = new Map<ReplayFault, number>(faults.map((fault) => [fault, each]))
  let newest = 0
  return {
    next(call) {
      if (call.params[1] === true) newest = Math.max(newest, Number(call.params[0]))
      if (isApplicable('stale_head', call) && left.has('stale_head') && random.integer(staleEvery) === 0)
        return 'stale_head'
      const possible = [...left.keys()].filter((fault) => isApplicable(fault, call))
      const remaining = [...left.values()].reduce((sum, count) => sum + count, 0)
      const isDue = random.integer(Math.max(1, Math.floor(blocks * 0.9) - newest)) < remaining
      return isDue && possible.length > 0 ? random.pick(possible) : undefined
    },
    strike(fault) {
      const count = left.get(fault) ?? 0
      if (count > 1) left.set(fault, count - 1)
      else left.delete(fault)
    },
  }
}
