import type { BlockStep, EvmCheckpoint, EvmSettings } from '../../../evm/src/index.ts'
import { isOnBranchOf, type SimulatedBlock } from '../chain/block-tree.ts'
import { describe, type SimulatedChain } from '../chain/simulated-chain.ts'
import type { SimulatedNodes } from '../chain/simulated-nodes.ts'
import type { World } from '../world/world.ts'

/**
 * Checks that each published block follows its parent and is complete, that a revert ends at the common ancestor of
 * both branches and not below the final block, and that no block is called final too early.
 */
export interface BlocksOracle {
  /** A block becomes visible to readers. */
  published(step: BlockStep): void
  /** An operator reverts all blocks after this one. */
  reset(hash: string): void
  /** The canonical published blocks, oldest first. */
  readonly branch: readonly SimulatedBlock[]
  /** The newest final published block. */
  readonly final: SimulatedBlock | undefined
}

export interface BlocksOracleOptions {
  readonly chain: SimulatedChain
  readonly nodes: SimulatedNodes
  readonly settings: Pick<EvmSettings, 'start' | 'confirmations' | 'receipts' | 'logs' | 'finality'>
}

export function createBlocksOracle(world: World, { chain, nodes, settings }: BlocksOracleOptions): BlocksOracle {
  const { start, confirmations, finality } = settings
  const hasReceipts = settings.receipts || settings.logs
  let branch: SimulatedBlock[] = []
  let final: SimulatedBlock | undefined
  let first = typeof start === 'number' ? start : start === 'earliest' ? 0 : undefined

  function revert(to: string | null): readonly SimulatedBlock[] {
    const kept = to === null ? 0 : branch.findIndex(({ hash }) => hash === to) + 1
    if (to !== null && kept === 0) world.fail(`block ${to} is reverted to, which is not published`)
    if (final && branch.indexOf(final) >= kept) world.fail(`block ${describe(final)} is reverted, which is final`)
    const reverted = branch.slice(kept)
    branch = branch.slice(0, kept)
    return reverted
  }

  function checkWhole({ block, receipts }: BlockStep, expected: SimulatedBlock): void {
    const whole = chain.tree.read(expected)
    if (JSON.stringify(block) !== JSON.stringify(whole.block))
      world.fail(`block ${describe(expected)} is published with other contents`)
    if (JSON.stringify(receipts) !== JSON.stringify(hasReceipts ? whole.receipts : []))
      world.fail(`block ${describe(expected)} is published with other receipts`)
  }

  function checkLink(block: SimulatedBlock): void {
    const previous = branch.at(-1)
    first ??= block.number
    if (previous && block.parent !== previous)
      world.fail(`block ${describe(block)} is published after ${describe(previous)}, which is not its parent`)
    if (block.number > nodes.highest - confirmations)
      world.fail(`block ${describe(block)} is published, and the highest one is ${nodes.highest}`)
    if (!previous && block.number !== first)
      world.fail(`block ${describe(block)} is published first, and not block ${first}`)
  }

  function moveFinal({ number, hash }: EvmCheckpoint, newest: SimulatedBlock): void {
    const block = branch.find((one) => one.hash === hash)
    if (!block) {
      world.fail(`block ${number} ${hash} is called final, which is not published`)
      return
    }
    if (final && block.number <= final.number) return
    final = block
    if (finality === 'finalized') {
      if (block.number > chain.final.number || !isOnBranchOf(chain.head, block))
        world.fail(`block ${describe(block)} is called final, and the final one is ${describe(chain.final)}`)
    } else if (newest.number - block.number < finality)
      world.fail(`block ${describe(block)} is called final after ${describe(newest)}`)
  }

  return {
    published(step) {
      const block = chain.tree.byHash(step.block.hash)
      if (!block) {
        world.fail(`block ${step.block.hash} is published, which no chain has`)
        return
      }
      world.note('log', () => `has block ${describe(block)}${describeMarks(step)}`)
      const reverted = step.revertTo === undefined ? [] : revert(step.revertTo?.hash ?? null)
      if (reverted.includes(block)) world.fail(`block ${describe(block)} is reverted and published again`)
      checkLink(block)
      checkWhole(step, block)
      branch.push(block)
      if (step.final) moveFinal(step.final, block)
    },
    reset: (hash) => void revert(hash),
    get branch() {
      return branch
    },
    get final() {
      return final
    },
  }
}

function describeMarks({ revertTo, final }: BlockStep): string {
  const reverts = revertTo === undefined ? '' : `, which reverts to ${revertTo?.number ?? 'the start'}`
  return final ? `${reverts}; block ${final.number} is final` : reverts
}
