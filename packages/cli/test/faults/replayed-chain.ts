import { readRecordHeaders } from '@headrace/catalog'
import type { Header, Queue } from '@headrace/queue'
import { expect } from 'vitest'
import type { ServedBlock, ServedBlocks } from '../../../testbed/chain/served-blocks.ts'

/** A record of a topic of blocks or transactions, as whichever reader has seen it. */
export interface ChainRecord {
  /** Hash of the block or transaction. */
  readonly key: string
  readonly unit: number
  readonly seq: number
  /** On a revert: the seq of the record that it takes back. */
  readonly reverts: number | undefined
}

/** @throws {Error} it has no place: a connector did not write it. */
export function toChainRecord(key: Uint8Array, headers: readonly Header[]): ChainRecord {
  const { unit, seq, reverts } = readRecordHeaders(headers)
  if (unit === undefined || seq === undefined) throw new Error('A record has no unit and seq.')
  return { key: Buffer.from(key).toString(), unit, seq, reverts }
}

/** A topic of one partition, by our own reader. */
export interface ReadTopic {
  /** What was committed by the last call of `readOn`. */
  readonly records: readonly ChainRecord[]
  /** Reads what was committed since the last call. */
  readOn(): Promise<void>
}

export function readTopic(queue: Queue, topic: string): ReadTopic {
  const records: ChainRecord[] = []
  let offset = 0n
  return {
    records,
    async readOn() {
      const [description] = await queue.describe([topic])
      const end = description?.partitions[0]?.end ?? 0n
      while (offset < end) {
        const { batches, next } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 4 << 20 })
        for (const batch of batches)
          for (const { key, headers } of batch.records()) records.push(toChainRecord(key!, headers))
        offset = next
      }
    },
  }
}

export interface ReplayedChain {
  /** What stands in the end, from block 0 on. */
  readonly standing: readonly ServedBlock[]
  /** Blocks that were taken back. */
  readonly takenBack: number
}

/**
 * Applies the records of both topics unit by unit: each revert takes back the newest record that stands. What stands
 * after each unit, and so at every commit, must be the beginning of a chain that the node has served: each block the
 * child of the one before, with its transactions and no others.
 */
export function replayChain(
  { blocks, transactions }: Record<'blocks' | 'transactions', readonly ChainRecord[]>,
  served: ServedBlocks,
): ReplayedChain {
  const standing: ServedBlock[] = []
  const blockStack = createStack('block')
  const transactionStack = createStack('transaction')
  const ofTransactions = byUnit(transactions)
  const units = byUnit(blocks)
  let takenBack = 0
  for (const [unit, records] of units) {
    const reverted = blockStack.apply(records)
    takenBack += reverted
    standing.length -= reverted
    const expected: string[] = []
    for (const { key } of records.slice(reverted)) {
      const block = served.get(key)
      if (!block) throw new Error(`Unit ${unit}: the node has never served block ${key}.`)
      expect(block.number, `unit ${unit}: number of block ${key}`).toBe(standing.length)
      if (standing.length > 0) expect(block.parentHash, `unit ${unit}: parent`).toBe(standing.at(-1)!.hash)
      standing.push(block)
      expected.push(...block.transactions)
    }
    const ofUnit = ofTransactions.get(unit) ?? []
    ofTransactions.delete(unit)
    const gone = transactionStack.apply(ofUnit)
    expect(
      ofUnit.slice(gone).map(({ key }) => key),
      `unit ${unit}: transactions`,
    ).toEqual(expected)
    const count = standing.reduce((sum, block) => sum + block.transactions.length, 0)
    expect(transactionStack.height, `unit ${unit}: transactions that stand`).toBe(count)
  }
  expect([...ofTransactions.keys()], 'units with transactions but no block').toEqual([])
  return { standing, takenBack }
}

/** Records that stand. */
interface Stack {
  readonly height: number
  /** Applies the records of a unit: reverts first, then new ones. Returns the number of reverts. */
  apply(records: readonly ChainRecord[]): number
}

function createStack(what: string): Stack {
  const stack: ChainRecord[] = []
  let next = 0
  return {
    get height() {
      return stack.length
    },
    apply(records) {
      let reverted = 0
      for (const record of records) {
        expect(record.seq, `seq of a ${what}`).toBe(next++)
        if (record.reverts === undefined) {
          stack.push(record)
          continue
        }
        const { key, seq } = stack.pop() ?? {}
        expect([record.key, record.reverts], `what a revert takes back of the ${what}s`).toEqual([key, seq])
        reverted++
      }
      return reverted
    },
  }
}

function byUnit(records: readonly ChainRecord[]): Map<number, ChainRecord[]> {
  const units = new Map<number, ChainRecord[]>()
  let last = 0
  for (const record of records) {
    expect(record.unit, 'units come in order').toBeGreaterThanOrEqual(last)
    last = record.unit
    const unit = units.get(last)
    if (unit) unit.push(record)
    else units.set(last, [record])
  }
  return units
}
