import { readRecording } from '../recorded-chain/recording.ts'
import { createReplayedChain, type ReplayedChain } from '../recorded-chain/replayed-chain.ts'

/** In the names of the topics of a fixture. A test replaces it by another name of the same length. */
export const fixtureChainName = 'chain00000000'

/**
 * The chain of a fixture: each step depends on nothing but the steps before it, so that a run of another day continues
 * what an earlier version has published.
 */
export interface FixtureChain {
  readonly chain: ReplayedChain
  /** Replaces blocks that have been published before. */
  reorganiseFirst(): void
  /** Goes back to blocks of the fixture. */
  reorganiseAgain(): void
}

const mostTransactions = 3

export async function createFixtureChain(): Promise<FixtureChain> {
  const recorded = (await readRecording()).filter(({ block }) => block.transactions.length <= mostTransactions)
  const chain = createReplayedChain({ recorded, head: 12, finalDepth: 8 })
  return {
    chain,
    reorganiseFirst() {
      chain.grow(2)
      chain.reorganise(4)
    },
    reorganiseAgain() {
      chain.grow(3)
      chain.reorganise(5)
    },
  }
}
