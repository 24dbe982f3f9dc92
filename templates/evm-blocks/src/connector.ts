import { type EvmCheckpoint, type RpcBlock, toBlock, toTransaction } from '@headrace/evm'
import { readBlocksOrRecording } from '@headrace/evm/recorded'
import { defineConnector, type Messages, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

/** Read for as long as setting `rpc` names no node. With `readBlocks` of @headrace/evm there is no such stand-in. */
const recording = new URL('../recorded/blocks.json', import.meta.url)

/** How blocks are read, beside what the settings say. Make a setting of what is to be one. */
const reading = { poll: 1, finality: 'finalized', verify: 'links', receipts: false, logs: false } as const

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    const blocks = readBlocksOrRecording({ ...reading, ...source.config }, source, recording)
    // A unit is published whole or not at all: here a block. Its position is the checkpoint, where the next run goes on,
    // and says what a reorganisation takes back and what is final.
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
