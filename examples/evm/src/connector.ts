import {
  type ChainBlock,
  type EvmCheckpoint,
  readBlocks,
  toBlock,
  toLogs,
  toReceipt,
  toTransaction,
  verifyBlocks,
} from '@headrace/evm'
import { defineConnector, type Messages, type Source, type Units } from '@headrace/sdk'
import { type Config, schema } from './generated/schema.ts'

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    const { config } = source
    for await (const { block, receipts, ...position } of readBlocks(config, source))
      yield { ...position, messages: toMessages({ block, receipts }, config) }
  },
  verify: (published) => verifyBlocks(published, (block) => toMessages(block, published.config)),
})

function toMessages({ block, receipts }: ChainBlock, config: Config): Messages<typeof schema> {
  const message = toBlock(block)
  return {
    Block: [message],
    Transaction: block.transactions.map((transaction) => toTransaction(transaction, message)),
    ...(config.receipts && { Receipt: receipts.map((receipt) => toReceipt(receipt, message)) }),
    ...(config.logs && { Log: receipts.flatMap((receipt) => toLogs(receipt, message)) }),
  }
}
