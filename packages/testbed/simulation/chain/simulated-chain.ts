import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'
import { ancestorAt, type BlockTree, createBlockTree, type SimulatedBlock } from './block-tree.ts'

/** The chain on which all nodes agree in the end. It grows and is reorganised. */
export interface SimulatedChain {
  readonly tree: BlockTree
  readonly head: SimulatedBlock
  /** The newest final block. */
  readonly final: SimulatedBlock
  /** Calls a function for every new head. */
  onHead(listener: () => void): void
  /** Makes it grow beyond a number before it is complete. */
  outgrow(number: number): void
  /** Whether it has its last block. */
  readonly isComplete: boolean
  readonly disturbances: readonly Disturbance[]
}

export interface SimulatedChainOptions {
  /** Number of the newest block at the start. */
  readonly head: number
  /** Interval of blocks. */
  readonly blockMs: number
  /** Minimum distance of the final block from the head. */
  readonly finalDepth: number
  /** The chain stops growing at this block, except for blocks after the faults. */
  readonly last: number
}

/** Minimum number of blocks after the faults, and after a block of another branch. */
const blocksAfterFaults = 3
const deepest = 10

export function createSimulatedChain(world: World, options: SimulatedChainOptions): SimulatedChain {
  const { blockMs, finalDepth, last } = options
  const { random } = world
  const tree = createBlockTree()
  const listeners: (() => void)[] = []
  let head = tree.genesis
  let final = tree.genesis
  let target = 0
  let isGrowing = true
  while (head.number < options.head) head = tree.add(head)
  finalise()

  /** Several blocks become final together, as at the end of an epoch. */
  function finalise(): void {
    const number = head.number - finalDepth - random.integer(3)
    if (number > final.number && random.integer(3) === 0) final = ancestorAt(head, number)!
  }

  function take(newHead: SimulatedBlock): void {
    head = newHead
    finalise()
    world.note('chain', () => `block ${describe(head)}, final ${final.number}`)
    for (const listener of listeners) listener()
  }

  async function grow(): Promise<void> {
    while (world.faulty) {
      if (head.number < last) take(tree.add(head))
      await world.wait(blockMs / 2 + random.integer(blockMs))
    }
    outgrow(head.number)
    await growToTarget()
  }

  function outgrow(number: number): void {
    target = Math.max(target, number + blocksAfterFaults)
    if (!isGrowing) void growToTarget()
  }

  async function growToTarget(): Promise<void> {
    isGrowing = true
    while (head.number < target) {
      await world.wait(blockMs)
      take(tree.add(head))
    }
    isGrowing = false
  }

  void grow()

  return {
    tree,
    get head() {
      return head
    },
    get final() {
      return final
    },
    outgrow,
    get isComplete() {
      return !world.faulty && head.number >= target
    },
    onHead: (listener) => void listeners.push(listener),
    disturbances: [
      {
        kind: 'chain reorganised',
        strike() {
          const depth = Math.min(1 + random.integer(random.pick([2, deepest])), head.number - final.number)
          if (depth < 1) return
          const replaced = Array.from(
            { length: depth },
            (_, index) => ancestorAt(head, head.number - index)!,
          ).toReversed()
          // Sometimes to a shorter chain.
          const length = Math.max(0, depth + 1 - random.integer(3))
          let block = replaced[0]!.parent!
          world.note('chain', () => `is reorganised after block ${describe(block)}`)
          for (let index = 0; index < length; index++)
            block = tree.add(block, random.integer(2) === 0 ? replaced[index]?.body : undefined)
          take(block)
        },
      },
    ],
  }
}

export function describe({ number, hash }: SimulatedBlock): string {
  return `${number} ${hash.slice(2, 8)}`
}
