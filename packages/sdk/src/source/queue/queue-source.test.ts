import { describe, expectTypeOf, test } from 'vitest'
import { type Connector, defineConnector, type Source, type Unit, type Units } from '../../connector/connector.ts'
import type { DefinedSchema } from '../../connector/schema.ts'
import type { QueueCheckpoint, QueueInput } from './queue-input.ts'
import { queueSource } from './queue-source.ts'

interface Block {
  Hash: string
}

interface Usage {
  Hash: string
  Share: number
}

type UsageSchema = DefinedSchema<{ Usage: Usage }, { chain: string }>

declare const schema: UsageSchema
declare const source: Source<UsageSchema, QueueCheckpoint>
const decode = ({ value }: { value: Uint8Array }) => value.length

describe('the types of an input', () => {
  test('are those that the author or the decoder declares, or unknown', () => {
    const named = () => queueSource<{ Block: Block }>(source, { topics: { Block: 'a.b.1_0_0.c_Block' } })
    const decoded = () => queueSource(source, { topics: { Size: { topic: 'sizes', decode } } })
    const unknown = () => queueSource(source, { topics: { Any: 'a.b.1_0_0.c_Any' } })
    expectTypeOf(named).returns.toExtend<AsyncGenerator<QueueInput<{ Block: Block }>>>()
    expectTypeOf(decoded).returns.toEqualTypeOf<AsyncGenerator<QueueInput<{ Size: number }>, void, undefined>>()
    expectTypeOf(unknown).returns.toEqualTypeOf<AsyncGenerator<QueueInput<{ Any: unknown }>, void, undefined>>()
  })

  test('form a unit of any schema after messages are added', () => {
    const define = () =>
      defineConnector({
        schema,
        async *read(source: Source<UsageSchema, QueueCheckpoint>): Units<UsageSchema, QueueCheckpoint> {
          const input = queueSource<{ Block: Block }>(source, { topics: { Block: 'a.b.1_0_0.c_Block' } })
          for await (const { place, messages } of input) {
            yield { ...place, messages: { Usage: messages.Block.map(({ Hash }) => ({ Hash, Share: 1 })) } }
            // @ts-expect-error a usage has a share
            yield { ...place, messages: { Usage: messages.Block } }
            // @ts-expect-error there is no message Block
            yield { ...place, messages: { Block: messages.Block } }
            // @ts-expect-error the place is missing
            yield { messages: { Usage: [] } }
          }
        },
      })
    expectTypeOf(define).returns.toEqualTypeOf<
      Connector<UsageSchema, QueueCheckpoint, Unit<UsageSchema, QueueCheckpoint>>
    >()
  })

  test('reject a missing topic, an unexpected one, and a checkpoint of another type', () => {
    const wrong = (other: Source<UsageSchema, { page: number }>) => {
      // @ts-expect-error the topic of Block is missing
      queueSource<{ Block: Block }>(source, { topics: {} })
      // @ts-expect-error there is no Transaction
      queueSource<{ Block: Block }>(source, { topics: { Block: 'a', Transaction: 'b' } })
      // @ts-expect-error the decoder returns a number
      queueSource<{ Block: Block }>(source, { topics: { Block: { topic: 'a', decode } } })
      // @ts-expect-error the checkpoint of a connector that reads topics is a QueueCheckpoint
      queueSource<{ Block: Block }>(other, { topics: { Block: 'a' } })
    }
    expectTypeOf(wrong).toBeFunction()
  })
})
