import type { Random } from '../../../testbed/random.ts'
import type { Call } from '../../../testbed/recorded-chain/answer-call.ts'
import type { ReplayedChain } from '../../../testbed/recorded-chain/replayed-chain.ts'

/** Moves a chain on, up to its last block, as it is asked about. */
export interface MovingChain {
  /** Is told of each call, before it is answered. */
  onCall(call: Call): void
  /** Is told of the newest block whenever some are published. */
  onPublished(hash: string): void
}

export interface MovingChainOptions {
  readonly chain: ReplayedChain
  readonly random: Random
  /** Number of the last block. The chain gets there only after all reorganisations. */
  readonly last: number
  /** How often blocks are replaced that are published. As many times at most some are that are not published yet. */
  readonly reorganisations: number
  /** Is told of each reorganisation of which a published block is part: the records of it must be taken back. */
  onReorganisation(): void
}

const deepest = 12
/** So near to the head a block that is asked for may be taken back while it is on its way. */
const [near, nearEvery] = [30, 15]

/** Each look at the head finds new blocks, or other ones; some are replaced while they are fetched. */
export function moveChain(options: MovingChainOptions): MovingChain {
  const { chain, random, last, onReorganisation } = options
  let left = options.reorganisations
  let leftUnpublished = options.reorganisations
  let newest: string | undefined

  function reorganise(): void {
    const depth = 1 + random.integer(deepest)
    const isPublished = isPublishedWithin(depth)
    if (!isPublished && leftUnpublished === 0) return
    // Now and then to a shorter chain.
    chain.reorganise(depth, random.integer(Math.min(depth, 3)))
    if (isPublished) {
      left--
      onReorganisation()
    } else {
      leftUnpublished--
    }
  }

  /** Whether one of the newest `depth` blocks is published, and not replaced already. */
  function isPublishedWithin(depth: number): boolean {
    const block = newest === undefined ? undefined : chain.find(newest)
    return block !== undefined && chain.holds(block) && block.number > Math.max(chain.head - depth, chain.final)
  }

  return {
    onCall({ params: [name, isWhole] }) {
      if (chain.head >= last) return
      if (name === 'latest') {
        const grown = Math.min(last, chain.head + 1 + random.integer(3))
        if (left > 0 && (grown === last || random.integer(3) === 0)) reorganise()
        else chain.grow(grown - chain.head)
      } else if (isWhole === true) {
        const number = Number(name)
        // Who waits for a block of a branch that was longer sees this one grow.
        if (number > chain.head) chain.grow(Math.min(1, last - 1 - chain.head))
        else if (left > 0 && number > chain.head - near && random.integer(nearEvery) === 0) reorganise()
      }
    },
    onPublished(hash) {
      newest = hash
    },
  }
}
