import { type DefinedSchema, defineSchema } from '@headrace/sdk'
import type { BinaryWriter } from '@headrace/sdk/wire'

export interface Total {
  Hash: string
  Transactions: bigint
}

export interface Sender {
  Hash: string
}

export interface Config {
  chain: string
}

export const schema: DefinedSchema<{ Total: Total; Sender: Sender }, Config> = defineSchema<
  { Total: Total; Sender: Sender },
  Config
>({
  Total: { name: 'acme.totals.Total', encode: encodeTotal },
  Sender: { name: 'acme.totals.Sender', encode: encodeSender },
})

function encodeTotal({ Hash, Transactions }: Total, writer: BinaryWriter): BinaryWriter {
  return writer.uint32(10).string(Hash).uint32(16).uint64(Transactions)
}

function encodeSender({ Hash }: Sender, writer: BinaryWriter): BinaryWriter {
  return writer.uint32(10).string(Hash)
}
