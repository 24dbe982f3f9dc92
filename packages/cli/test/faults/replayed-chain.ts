import { readRecordHeaders } from '@headrace/catalog'
import type { Header, Queue } from '@headrace/queue'
import { expect } from 'vitest'
import type { ServedBlock, ServedBlocks } from '../../../testbed/chain/served-blocks.ts'

export interface ChainRecord {
  readonly key: string
  readonly unit: number
  readonly seq: number
  readonly reverts: number | undefined
}

/** Throws if a record was not written by a connector. */
export function toChainRecord(key: Uint8Array, headers: readonly Header[]): ChainRecord {
  const { unit, seq, reverts } = readRecordHeaders(headers)
  if (unit === undefined || seq === undefined) throw new Error('A record has no unit and seq.')
  return { key: Buffer.from(key).toString(), unit, seq, reverts }
}

export interface ReadTopic {
  /** What was committed at the last call of `readOn`. */
  readonly records: readonly ChainRecord[]
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
  /** The canonical blocks in the end, from block 0 on. */
  readonly canonical: readonly ServedBlock[]
  readonly revertedBlocks: number
}

/**
 * Applies the records of both topics unit by unit: each revert removes the newest canonical record. After each unit,
 * and so at every commit, the canonical records must be the beginning of a chain that the node has served: each block
 * the child of the one before, with its transactions and no others.
 */
export function replayChain(
  { blocks, transactions }: Record<'blocks' | 'transactions', readonly ChainRecord[]>,
  served: ServedBlocks,
): ReplayedChain {
  const canonical: ServedBlock[] = []
  const blockStack = createStack('block')
  const transactionStack = createStack('transaction')
  const ofTransactions = byUnit(transactions)
  const units = byUnit(blocks)
  let revertedBlocks = 0
  for (const [unit, records] of units) {
    const reverted = blockStack.apply(records)
    revertedBlocks += reverted
    canonical.length -= reverted
    const expected: string[] = []
    for (const { key } of records.slice(reverted)) {
      const block = served.get(key)
      if (!block) throw new Error(`Unit ${unit}: the node has never served block ${key}.`)
      expect(block.number, `unit ${unit}: number of block ${key}`).toBe(canonical.length)
      if (canonical.length > 0) expect(block.parentHash, `unit ${unit}: parent`).toBe(canonical.at(-1)!.hash)
      canonical.push(block)
      expected.push(...block.transactions)
    }
    const ofUnit = ofTransactions.get(unit) ?? []
    ofTransactions.delete(unit)
    const gone = transactionStack.apply(ofUnit)
    expect(
      ofUnit.slice(gone).map(({ key }) => key),
      `unit ${unit}: transactions`,
    ).toEqual(expected)
    const count = canonical.reduce((sum, block) => sum + block.transactions.length, 0)
    expect(transactionStack.height, `unit ${unit}: canonical transactions`).toBe(count)
  }
  expect([...ofTransactions.keys()], 'units with transactions but no block').toEqual([])
  return { canonical, revertedBlocks }
}

interface Stack {
  readonly height: number
  /** Reverts come first. Returns their number. */
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
        expect([record.key, record.reverts], `${what} that a revert reverts`).toEqual([key, seq])
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
