/** A node that replays the recorded chain: `node replay-program.ts HEAD [TRANSACTIONS_PER_BLOCK]`. */

import { startFakeNode } from '../../../packages/testbed/chain/fake-node.ts'
import { readRecording } from '../../../packages/testbed/recorded-chain/recording.ts'
import { createReplayedChain } from '../../../packages/testbed/recorded-chain/replayed-chain.ts'
import { serveCalls } from '../program.ts'

const [head, transactions] = process.argv.slice(2).map(Number)
const recorded = (await readRecording()).filter(
  ({ block }) => transactions === undefined || block.transactions.length === transactions,
)
const chain = createReplayedChain({ recorded, head: head! })
const server = await startFakeNode({ chain })
serveCalls({ rpc: () => server.rpc, grow: (blocks: number) => chain.grow(blocks) })
