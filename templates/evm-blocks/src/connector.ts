import { type EvmCheckpoint, type RpcBlock, toBlock, toTransaction } from '@headrace/evm'
import { readBlocksOrRecording } from '@headrace/evm/recorded'
import { defineConnector, type Messages, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

/** Read if the setting `rpc` is not set. To require `rpc`, use `readBlocks` of @headrace/evm. */
const recording = new URL('../recorded/blocks.json', import.meta.url)

/** Fixed options of reading. To make one a setting, move it to `config` in manifest.yaml. */
const reading = { poll: 1, finality: 'finalized', verify: 'links', receipts: false, logs: false } as const

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    const blocks = readBlocksOrRecording({ ...reading, ...source.config }, source, recording)
    // A unit is a block. `position` has its checkpoint, the position to revert to after a reorganisation, and the final
    // one.
    for await (const { block, receipts: _, ...position } of blocks) yield { ...position, messages: toMessages(block) }
  },
})

function toMessages(block: RpcBlock): Messages<typeof schema> {
  const message = toBlock(block)
  return {
    Block: [message],
    Transaction: block.transactions.map((transaction) => toTransaction(transaction, message)),
  }
}
