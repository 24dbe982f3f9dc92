import {
  type Connector,
  defineConnector,
  type QueueCheckpoint,
  type QueueSourceOptions,
  queueSource,
} from '@headrace/sdk'
import { schema } from './schema.ts'

interface BlockJson {
  readonly Hash: string
}

interface Input {
  Block: BlockJson
  Transaction: BlockJson
}

export interface TotalsOptions extends Pick<QueueSourceOptions<Input>, 'from' | 'follow'> {
  /** Which of the two topics it reads. Default: both. */
  readonly only?: keyof Input
  /** Called with the name of each block before its unit is yielded. */
  beforeEach?(block: string | undefined): unknown
}

/** Produces a total of each block and a sender of each transaction from the topics of the chain. */
export function totalsConnector(options: TotalsOptions = {}): Connector<typeof schema, QueueCheckpoint> {
  const { only, beforeEach, ...rest } = options
  return defineConnector({
    schema,
    async *read(source) {
      const { chain } = source.config
      const named = { Block: `acme.chain.1_0_0.${chain}_Block`, Transaction: `acme.chain.1_0_0.${chain}_Transaction` }
      const topics = Object.fromEntries(
        Object.entries(named).filter(([name]) => !only || name === only),
      ) as typeof named
      for await (const { place, messages } of queueSource<Input>(source, { topics, follow: false, ...rest })) {
        const { Block = [], Transaction = [] } = messages
        await beforeEach?.(Block[0]?.Hash)
        yield {
          ...place,
          messages: {
            Total: Block.map(({ Hash }) => ({ Hash, Transactions: BigInt(Transaction.length) })),
            Sender: Transaction.map(({ Hash }) => ({ Hash })),
          },
        }
      }
    },
  })
}
