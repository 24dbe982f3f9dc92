import { type AnyUnit, type Connector, defineConnector, type Source, type Unit } from '@headrace/sdk'
import { type Block, schema, type Transaction } from './schema.ts'

export interface Head {
  number: number
  hash: string
}

export type BlockUnit = Unit<typeof schema, Head>
/** Its messages may be encoded. */
type AnyBlockUnit = AnyUnit<typeof schema, Head>

/** Time of block 0, in seconds. It is in the past, so record times are those of the blocks. */
export const genesisSeconds = 1_700_000_000

/** Block `number`, which has `number % 4` transactions. */
export function unitOf(number: number): BlockUnit & { messages: { Block: Block[]; Transaction: Transaction[] } } {
  const hash = `0x${number.toString(16).padStart(8, '0')}`
  const seconds = BigInt(genesisSeconds + number)
  const transactions = Array.from({ length: number % 4 }, (_, i) => ({
    seconds,
    Hash: `${hash}-${i}`,
    From: new Uint8Array(20).fill(number),
  }))
  return {
    checkpoint: { number, hash },
    messages: { Block: [{ seconds, Hash: hash, Number: BigInt(number) }], Transaction: transactions },
  }
}

/** Reads blocks from 0 up to the setting `end`. `change` may alter the unit of a block. */
export function chainConnector(
  change: (unit: BlockUnit, source: Source<typeof schema, Head>) => AnyBlockUnit | Promise<AnyBlockUnit> = (unit) =>
    unit,
): Connector<typeof schema, Head> {
  return defineConnector({
    schema,
    async *read(source: Source<typeof schema, Head>) {
      const { config, history } = source
      for (let number = (history()[0]?.number ?? -1) + 1; number <= config.end; number++) {
        yield await change(unitOf(number), source)
      }
    },
  })
}
