import { type DefinedSchema, defineSchema } from '@headrace/sdk'
import type { BinaryWriter } from '@headrace/sdk/wire'

export interface Block {
  seconds: bigint
  Hash: string
  Number: bigint
}

export interface Transaction {
  seconds: bigint
  Hash: string
  From: Uint8Array
}

export interface Config {
  chain: string
  end: number
}

export const schema: DefinedSchema<{ Block: Block; Transaction: Transaction }, Config> = defineSchema<
  { Block: Block; Transaction: Transaction },
  Config
>({
  Block: { name: 'acme.chain.Block', encode: encodeBlock },
  Transaction: { name: 'acme.chain.Transaction', encode: encodeTransaction },
})

function encodeBlock(block: Block, writer: BinaryWriter): BinaryWriter {
  writer.uint32(10).fork().uint32(8).int64(block.seconds).join()
  return writer.uint32(18).string(block.Hash).uint32(24).uint64(block.Number)
}

function encodeTransaction(transaction: Transaction, writer: BinaryWriter): BinaryWriter {
  writer.uint32(10).fork().uint32(8).int64(transaction.seconds).join()
  return writer.uint32(18).string(transaction.Hash).uint32(26).bytes(transaction.From)
}
