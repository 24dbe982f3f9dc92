import { defineConnector, type QueueCheckpoint, queueSource, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

/** The used fields of input messages in JSON, where 64-bit integers are strings. */
interface Input {
  Block: { ts: string; Hash: string; Number: string; GasLimit: string; GasUsed: string }
  Transaction: object
}

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, QueueCheckpoint>): Units<typeof schema, QueueCheckpoint> {
    const { chain, follow } = source.config
    const topics = {
      Block: `headrace.evm.1_0_0.${chain}_Block`,
      Transaction: `headrace.evm.1_0_0.${chain}_Transaction`,
    }
    for await (const { place, messages } of queueSource<Input>(source, { topics, follow }))
      yield {
        ...place,
        messages: { Usage: messages.Block.map((block) => toUsage(block, messages.Transaction.length)) },
      }
  },
})

function toUsage({ ts, Hash, Number: number, GasLimit, GasUsed }: Input['Block'], transactions: number) {
  return {
    ts: { seconds: BigInt(Date.parse(ts) / 1000), nanos: 0 },
    BlockHash: Hash,
    BlockNumber: BigInt(number),
    Share: Number(GasUsed) / Number(GasLimit),
    Transactions: transactions,
  }
}
