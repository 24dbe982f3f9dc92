import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import { type EvmFindingCode, findingAt, type PublishedBlock } from './published-block.ts'

export type RecordsByMessage = Readonly<Record<string, readonly PublishedMessage[] | undefined>>

export function checkBlockParts(
  block: PublishedBlock,
  { Transaction = [], Receipt = [], Log = [] }: RecordsByMessage,
  published: ReadonlySet<string>,
): VerifyFinding[] {
  const { transactionCount: count } = block
  const transactions = {
    kind: 'transaction',
    records: Transaction,
    indexField: 'TransactionIndex',
    idField: 'Hash',
  } as const
  const found = published.has('Transaction') ? checkParts(block, { ...transactions, count }) : []
  let logs = published.has('Receipt') ? logCount(Receipt) : undefined
  if (published.has('Receipt')) {
    // Otherwise the count in the block is wrong, which has been reported.
    const isReported = found.length > 0 && Receipt.length === Transaction.length
    const receipts = {
      kind: 'receipt',
      records: Receipt,
      indexField: 'TransactionIndex',
      idField: 'TransactionHash',
    } as const
    const wrong = checkParts(block, { ...receipts, count: isReported ? undefined : count })
    found.push(...wrong)
    if (wrong.length > 0) logs = undefined
  }
  if (published.has('Log'))
    found.push(...checkParts(block, { kind: 'log', records: Log, indexField: 'LogIndex', count: logs }))
  return found
}

function logCount(receipts: readonly PublishedMessage[]): number | undefined {
  if (receipts.some(({ message }) => message === null)) return undefined
  return receipts.reduce((sum, { message }) => sum + Number(message!.LogCount), 0)
}

interface BlockParts {
  readonly kind: string
  readonly records: readonly PublishedMessage[]
  readonly indexField: 'TransactionIndex' | 'LogIndex'
  readonly idField?: 'Hash' | 'TransactionHash'
  readonly count?: number | undefined
}

function checkParts(block: PublishedBlock, { records: all, ...parts }: BlockParts): VerifyFinding[] {
  const { number } = block
  const { kind } = parts
  // Missing messages have their own finding.
  const records = all.filter(({ message }) => message !== null)
  const foreign = records.filter(
    ({ message }) => message!.BlockHash !== block.hash || message!.BlockNumber !== `${number}`,
  )
  if (foreign.length > 0) {
    const [first] = foreign
    const { BlockHash, BlockNumber } = first!.message!
    const message = `${foreign.length} of the ${all.length} ${kind}s belong to another block.`
    const [expected, found] = [
      { BlockHash: block.hash, BlockNumber: `${number}` },
      { BlockHash, BlockNumber },
    ]
    return [findingAt(first!, number, { code: 'other_block', message, expected, found })]
  }
  const readable = { ...parts, records, number, unit: block.record.unit }
  // Records without a message have unknown indexes.
  const missing = all.length > records.length ? [] : checkComplete(readable)
  const wrong = [...checkUnique(readable), ...checkNoExtra(readable), ...missing]
  return wrong.length > 0 ? wrong : checkOrder(readable)
}

/** The records with a message. */
interface ReadableParts extends BlockParts {
  readonly number: number
  readonly unit: number
}

function checkUnique({ number, kind, records, indexField, idField }: ReadableParts): VerifyFinding[] {
  const indexes = new Set<unknown>()
  const ids = new Set<unknown>()
  return records.flatMap((record) => {
    const index = record.message![indexField]
    const id = idField && record.message![idField]
    const isRepeated = indexes.has(index) || (id !== undefined && ids.has(id))
    indexes.add(index)
    ids.add(id)
    if (!isRepeated) return []
    const message = `The ${kind} ${index} of block ${number} is published more than once.`
    return findingAt(record, number, { code: 'repeated_in_block', message, found: id ?? index })
  })
}

const namedAtMost = 20

function checkNoExtra({ number, kind, records, indexField, count }: ReadableParts): VerifyFinding[] {
  const more = records.filter(({ message }) => count !== undefined && Number(message![indexField]) >= count)
  const [first] = more
  if (!first) return []
  const message = `Block ${number} should have ${count} ${kind}s, but ${more.length} with higher indexes are published.`
  const found = more.slice(0, namedAtMost).map((record) => Number(record.message![indexField]))
  return [findingAt(first, number, { code: 'unexpected_in_block', message, expected: count, found })]
}

function checkComplete({ number, unit, kind, records, indexField, idField, count }: ReadableParts): VerifyFinding[] {
  // Wrong indexes have been reported.
  if (new Set(records.map((record) => (idField ? record.message![idField] : record))).size === count) return []
  const indexes = new Set(records.map(({ message }) => Number(message![indexField])))
  const last = count ?? highest(indexes) + 1
  // An altered index does not prove that there are more records.
  const there = [...indexes].filter((index) => index < last).length
  if (there === last) return []
  const missing: number[] = []
  for (let index = 0; missing.length < Math.min(namedAtMost, last - there); index++)
    if (!indexes.has(index)) missing.push(index)
  const code: EvmFindingCode = 'missing_in_block'
  const message = `${last - there} of the ${last} ${kind}s of block ${number} are missing.`
  const place = { ...(records[0] && { topic: records[0].topic }), unit, source: { block: number } }
  return [{ code, message, ...place, expected: missing }]
}

function highest(indexes: Iterable<number>): number {
  let found = -1
  for (const index of indexes) found = Math.max(found, index)
  return found
}

function checkOrder({ number, kind, records, indexField }: ReadableParts): VerifyFinding[] {
  for (const [at, record] of records.entries()) {
    const before = records[at - 1]
    const [index, previous] = [Number(record.message![indexField]), Number(before?.message?.[indexField])]
    if (before?.partition !== record.partition || index > previous) continue
    const message = `The ${kind} ${index} of block ${number} comes after the ${kind} ${previous}.`
    return [findingAt(record, number, { code: 'out_of_order_in_block', message, expected: index, found: previous })]
  }
  return []
}
