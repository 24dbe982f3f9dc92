import type { Checkpoint } from '../../../catalog/src/index.ts'
import type { BlockStep } from '../../../evm/src/index.ts'
import { FencedError } from '../../../queue/src/index.ts'
import type { CommittedState } from '../../../sdk/src/runtime/checkpoint/run-state.ts'
import type { EncodedUnit } from '../../../sdk/src/runtime/cycle/encoded-unit.ts'
import type { BlocksOracle } from '../oracle/blocks-oracle.ts'

/** The committed unit of a block. */
export interface BlockUnit extends EncodedUnit {
  readonly step: BlockStep
  readonly committed: Checkpoint
}

/** The published part of a chain, in memory instead of a queue. */
export interface PublishedChain {
  /** Fences earlier runs, and returns the state that a run continues from. */
  claim(): ClaimedChain
  /** Fences earlier runs, and reverts the units after one of the checkpoints that can be reset to. */
  reset(pick: (checkpoints: readonly Checkpoint[]) => Checkpoint): void
}

export interface ClaimedChain {
  readonly state: CommittedState
  /** Appends all of the units or none. */
  append(units: readonly BlockUnit[]): void
}

export function createPublishedChain(oracle: BlocksOracle, onAppend: () => void): PublishedChain {
  let runs = 0
  let newest: Checkpoint | undefined
  let standing: readonly Checkpoint[] = []

  function append({ step, committed }: BlockUnit): void {
    if (step.revertTo === null) standing = []
    else if (step.revertTo) {
      const { hash } = step.revertTo
      standing = standing.slice(0, standing.findLastIndex(({ position }) => hashOf(position) === hash) + 1)
    }
    const { final } = committed
    standing = [...standing, committed].filter(({ unit }) => unit >= (final?.unit ?? 0))
    newest = committed
  }

  return {
    reset(pick) {
      runs++
      if (!newest || standing.length === 0) return
      const target = pick(standing)
      newest = { ...target, unit: newest.unit + 1, final: newest.final }
      standing = [...standing.slice(0, standing.indexOf(target)), newest]
      oracle.reset(hashOf(target.position))
    },
    claim() {
      const run = ++runs
      return {
        state: { newest, history: standing },
        append(units) {
          if (run !== runs) throw new FencedError('headrace.simulated')
          for (const unit of units) {
            oracle.published(unit.step)
            append(unit)
          }
          onAppend()
        },
      }
    },
  }
}

function hashOf(position: unknown): string {
  return (position as { readonly hash: string }).hash
}
