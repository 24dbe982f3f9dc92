import type { ChainView } from '../../recorded-chain/replayed-chain.ts'
import { ancestorAt, ancestry, type BlockTree, isOnBranchOf, type SimulatedBlock } from './block-tree.ts'

/** The view of one node: the branch of its head, and blocks of branches that it has left. */
export interface NodeView extends ChainView {
  readonly headBlock: SimulatedBlock
  /** Changes the head, and the final block. */
  adopt(head: SimulatedBlock, final: SimulatedBlock | undefined): void
}

export const chainId = 31337

export function createNodeView(tree: BlockTree): NodeView {
  let head = tree.genesis
  let final: SimulatedBlock | undefined
  const known = new Set([head])

  return {
    chainId,
    get headBlock() {
      return head
    },
    get head() {
      return head.number
    },
    get final() {
      return final?.number ?? -1
    },
    adopt(newHead, newFinal) {
      head = newHead
      // A node never reverts a final block.
      if (newFinal && newFinal.number > (final?.number ?? -1) && isOnBranchOf(head, newFinal)) final = newFinal
      for (const block of ancestry(head)) {
        if (known.has(block)) break
        known.add(block)
      }
    },
    at: (number) => ancestorAt(head, number),
    find(hash) {
      const block = tree.byHash(hash)
      if (block) return known.has(block) ? { number: block.number, branch: block.branch } : undefined
      const found = tree.holding(hash).find((each) => isOnBranchOf(head, each.block))
      return found && { number: found.block.number, branch: found.block.branch, index: found.index }
    },
    holds: (place) => isOnBranchOf(head, tree.get(place)),
    read: tree.read,
    json: tree.json,
    receiptJson: tree.receiptJson,
    transactionCount: tree.transactionCount,
    logs: tree.logs,
  }
}
