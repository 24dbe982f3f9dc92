import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, defineConnector } from '@headrace/sdk'
import { genesisSeconds, type Head, unitOf } from '../../../../sdk/test/chain/connector.ts'
import { schema } from '../../../../sdk/test/chain/schema.ts'

export interface BlockCounts {
  /** The most blocks that it yields. */
  granted: number
  yielded: number
  committed: number
  /** Whether nothing is published now. */
  quiet: boolean
}

/** Number of final blocks after this number of commits: the `seq` of the first block that is not final. */
export function finalBlocks(committed: number): number {
  return Math.max(0, committed - 1)
}

/** Ms. */
export function blockTime(number: number): number {
  return (genesisSeconds + number) * 1000
}

/** Yields blocks from 0 on indefinitely: block `n` is the record with seq `n`. The one before each is final. */
export function blocksConnector(counts: BlockCounts): Connector<typeof schema, Head> {
  return defineConnector({
    schema,
    async *read({ history, signal }) {
      for (let number = (history()[0]?.number ?? -1) + 1; ; number++) {
        while (number >= counts.granted) await delay(pollMs, undefined, { signal })
        const unit = unitOf(number)
        counts.yielded = Math.max(counts.yielded, number + 1)
        yield number === 0 ? unit : { ...unit, final: unitOf(number - 1).checkpoint }
      }
    },
  })
}

const pollMs = 5
