import type { BinaryWriter } from '@bufbuild/protobuf/wire'
import { expect, expectTypeOf, test } from 'vitest'
import { type Connector, defineConnector, type Source, type Unit, type Units } from './connector.ts'
import { type DefinedSchema, defineSchema, type MessageCodec, type MessageOf, type Messages } from './schema.ts'

interface Block {
  Hash: string
  Number: bigint
}

interface Transaction {
  Hash: string
  From: Uint8Array
}

interface Config {
  rpc: string
  poll: number
}

interface Head {
  number: number
  hash: string
}

declare const encodeBlock: (message: Block, writer?: BinaryWriter) => BinaryWriter
declare const encodeTransaction: (message: Transaction, writer?: BinaryWriter) => BinaryWriter

type ChainSchema = DefinedSchema<{ Block: Block; Transaction: Transaction }, Config>

const codec = <T>(name: string): MessageCodec<T> => ({
  name,
  encode: () => {
    throw new Error('not called')
  },
})

const schema: ChainSchema = defineSchema<{ Block: Block; Transaction: Transaction }, Config>({
  Block: codec('acme.chain.Block'),
  Transaction: codec('acme.chain.Transaction'),
})

const block: Block = { Hash: '0x01', Number: 1n }

const connector = defineConnector({
  schema,
  async *read({ config, history, signal }: Source<typeof schema, Head>): Units<typeof schema, Head> {
    expectTypeOf(config).toEqualTypeOf<Config>()
    expectTypeOf(history()).toEqualTypeOf<readonly Head[]>()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    yield { checkpoint: { number: 1, hash: '0x01' }, messages: { Block: [block] } }
  },
})

test('defineConnector returns its argument', () => {
  expect(defineConnector(connector)).toBe(connector)
  expect(Object.keys(schema.messages)).toEqual(['Block', 'Transaction'])
})

test('a connector keeps the types of its schema and of its checkpoint', () => {
  expectTypeOf(connector).toEqualTypeOf<Connector<ChainSchema, Head, Unit<ChainSchema, Head>>>()
  expectTypeOf<MessageOf<ChainSchema['messages']['Block']>>().toEqualTypeOf<Block>()
  expectTypeOf<Messages<ChainSchema>>().toEqualTypeOf<{
    readonly Block?: readonly Block[]
    readonly Transaction?: readonly Transaction[]
  }>()
})

test('a connector of any types can be run', () => {
  expectTypeOf<Connector<ChainSchema, Head>>().toExtend<Connector>()
  expectTypeOf<Unit<ChainSchema, Head>>().toExtend<Unit>()
})

test('generated functions fit only the codec of their message', () => {
  expectTypeOf<{ name: string; encode: typeof encodeBlock }>().toExtend<MessageCodec<Block>>()
  expectTypeOf<{ name: string; encode: typeof encodeTransaction }>().toExtend<MessageCodec<Transaction>>()
  expectTypeOf<{ name: string; encode: typeof encodeTransaction }>().not.toExtend<MessageCodec<Block>>()
})

test('a unit with an unknown message, a wrong message or no checkpoint does not compile', () => {
  const checkpoint: Head = { number: 1, hash: '0x01' }
  const units: Unit<ChainSchema, Head>[] = [
    // @ts-expect-error there is no message Receipt
    { checkpoint, messages: { Receipt: [] } },
    // @ts-expect-error a block has no From
    { checkpoint, messages: { Block: [{ Hash: '0x01', From: new Uint8Array() }] } },
    // @ts-expect-error the checkpoint is missing
    { messages: { Block: [block] } },
  ]
  expect(units).toHaveLength(3)
})
