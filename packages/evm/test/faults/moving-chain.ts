import type { Random } from '../../../testbed/random.ts'
import type { Call } from '../../../testbed/recorded-chain/answer-call.ts'
import type { ReplayedChain } from '../../../testbed/recorded-chain/replayed-chain.ts'

/** A chain that grows and is reorganised while it is read, up to its last block. */
export interface MovingChain {
  /** Called before each answer. */
  onCall(call: Call): void
  /** Called with the newest published block. */
  onPublished(hash: string): void
}

export interface MovingChainOptions {
  readonly chain: ReplayedChain
  readonly random: Random
  /** Number of the last block, which follows all reorganisations. */
  readonly last: number
  /** Number of reorganisations with published blocks, and limit of those without. */
  readonly reorganisations: number
  /** Called for each reorganisation with a published block, whose records must be reverted. */
  onReorganisation(): void
}

const deepest = 12
/** Distance from the head up to which a block may be replaced while it is fetched, and one in how many is. */
const [near, nearEvery] = [30, 15]

/** Each request for the head finds new or replaced blocks; some are replaced while they are fetched. */
export function moveChain(options: MovingChainOptions): MovingChain {
  const { chain, random, last, onReorganisation } = options
  let left = options.reorganisations
  let leftUnpublished = options.reorganisations
  let newest: string | undefined

  function reorganise(): void {
    const depth = 1 + random.integer(deepest)
    const isPublished = isPublishedWithin(depth)
    if (!isPublished && leftUnpublished === 0) return
    // Sometimes to a shorter chain.
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
        // A reader that waits for a block of a longer branch sees this one grow.
        if (number > chain.head) chain.grow(Math.min(1, last - 1 - chain.head))
        else if (left > 0 && number > chain.head - near && random.integer(nearEvery) === 0) reorganise()
      }
    },
    onPublished(hash) {
      newest = hash
    },
  }
}
