import type { World } from '../world/world.ts'
import { ancestorAt, type SimulatedBlock } from './block-tree.ts'
import { createNodeView, type NodeView } from './node-view.ts'
import { describe, type SimulatedChain } from './simulated-chain.ts'

/** A node that follows the chain, except while it has stopped or is on a branch of its own. */
export interface Replica {
  readonly name: string
  readonly view: NodeView
  /** Stops following for some time, in ms. */
  stop(ms: number): void
  /** Follows a branch of its own for some time, in ms. */
  fork(ms: number): void
}

export interface ReplicaOptions {
  readonly chain: SimulatedChain
  readonly name: string
  /** Interval of the blocks of its own branch. */
  readonly blockMs: number
  /** Maximum length of its own branch. Default 25. */
  readonly longestFork?: number
  onHead(head: SimulatedBlock): void
}

const deepestFork = 6

export function createReplica(
  world: World,
  { chain, name, blockMs, longestFork = 25, onHead }: ReplicaOptions,
): Replica {
  const { random } = world
  const view = createNodeView(chain.tree)
  let isApart = false

  function adopt(head: SimulatedBlock): void {
    if (head === view.headBlock) return
    view.adopt(head, chain.final)
    onHead(head)
  }

  function follow(): void {
    if (!isApart) adopt(chain.head)
  }

  async function separate(ms: number, onBlock: () => void): Promise<void> {
    if (isApart) return
    isApart = true
    world.faultLasts(ms)
    const until = world.now() + ms
    while (world.now() + blockMs < until) {
      onBlock()
      await world.wait(blockMs)
    }
    await world.wait(until - world.now())
    isApart = false
    world.note(name, 'is back on the chain')
    follow()
  }

  adopt(chain.head)
  chain.onHead(() => void world.later(random.integer(random.pick([20, 600])), follow))
  return {
    name,
    view,
    stop(ms) {
      world.note(name, () => `stops for ${ms} ms at block ${describe(view.headBlock)}`)
      void separate(ms, () => {})
    },
    fork(ms) {
      const number = Math.max(view.head - random.integer(deepestFork), chain.final.number)
      const from = ancestorAt(view.headBlock, number)
      // A node far behind has only final blocks.
      if (isApart || !from) return
      world.note(name, () => `leaves the chain after block ${describe(from)} for ${ms} ms`)
      let own = from
      void separate(ms, () => {
        if (own.number === from.number + longestFork) return
        own = chain.tree.add(own)
        chain.outgrow(own.number)
        world.note(name, () => `has a block of its own, ${describe(own)}`)
        adopt(own)
      })
    },
  }
}
