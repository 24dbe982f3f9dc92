/** A node that replays a chain: `node replay-program.ts CHAIN HEAD`. */

import { startFakeNode } from '../../../packages/testbed/chain/fake-node.ts'
import { createBusyBlocks } from '../../../packages/testbed/recorded-chain/busy-blocks.ts'
import { type RecordedBlock, readRecording } from '../../../packages/testbed/recorded-chain/recording.ts'
import { createReplayedChain } from '../../../packages/testbed/recorded-chain/replayed-chain.ts'
import { serveCalls } from '../program.ts'

/** `recorded`: as it was recorded. The others have three logs per transaction. */
export type ReplayedChainName = 'recorded' | '100 transactions' | '100 to 200 transactions'

/** What a node has been asked since the last call of `counts`. */
export interface RequestCounts {
  readonly requests: number
  /** More than `requests` if there are batches. */
  readonly calls: number
}

/** Of the token in each block, in turn. */
const tokenEvents = [10, 12, 8, 0]
const eventsOf = (number: number) => tokenEvents[number % tokenEvents.length]!

const [name, head] = [process.argv[2] as ReplayedChainName, Number(process.argv[3])]
const recorded = await readRecording()
const chain = createReplayedChain({ recorded: blocksOf(name), head })
let counts: RequestCounts = { requests: 0, calls: 0 }
const server = await startFakeNode({ chain })
server.fault = (_, batch = [_]) => {
  counts = { requests: counts.requests + 1, calls: counts.calls + batch.length }
  return undefined
}
serveCalls({
  rpc: () => server.rpc,
  grow: (blocks: number) => chain.grow(blocks),
  counts() {
    const counted = counts
    counts = { requests: 0, calls: 0 }
    return counted
  },
  /** Events of the token in the first blocks. */
  eventsIn: (blocks: number) =>
    Array.from({ length: blocks }, (_, number) => eventsOf(number)).reduce((a, b) => a + b, 0),
})

function blocksOf(name: ReplayedChainName): readonly RecordedBlock[] {
  switch (name) {
    case 'recorded':
      return recorded
    case '100 transactions':
      return createBusyBlocks(recorded, { transactionCounts: Array(12).fill(100), tokenEvents })
    case '100 to 200 transactions':
      return createBusyBlocks(recorded, { transactionCounts: [100, 190, 130, 160, 110, 200, 140, 170], tokenEvents })
  }
}
