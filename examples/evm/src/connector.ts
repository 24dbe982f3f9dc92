import { type EvmCheckpoint, readBlocks, toBlock, toTransaction } from '@headrace/evm'
import { defineConnector, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, EvmCheckpoint>): Units<typeof schema, EvmCheckpoint> {
    for await (const { block, ...position } of readBlocks(source.config, source)) {
      const message = toBlock(block)
      const transactions = block.transactions.map((transaction) => toTransaction(transaction, message))
      yield { ...position, messages: { Block: [message], Transaction: transactions } }
    }
  },
})
