import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import { type EvmFindingCode, findingAt, type PublishedBlock } from './published-block.ts'

export type RecordsByMessage = Readonly<Record<string, readonly PublishedMessage[] | undefined>>

interface PartFields {
  readonly kind: string
  readonly indexField: 'TransactionIndex' | 'LogIndex'
  readonly idField?: 'Hash' | 'TransactionHash'
}

const partFields = {
  Transaction: { kind: 'transaction', indexField: 'TransactionIndex', idField: 'Hash' },
  Receipt: { kind: 'receipt', indexField: 'TransactionIndex', idField: 'TransactionHash' },
  Log: { kind: 'log', indexField: 'LogIndex' },
} as const satisfies Record<string, PartFields>

export function checkBlockParts(
  block: PublishedBlock,
  records: RecordsByMessage,
  published: ReadonlySet<string>,
): VerifyFinding[] {
  const { Transaction = [], Receipt = [] } = records
  const check = (name: keyof typeof partFields, count: number | undefined) =>
    published.has(name) ? checkParts(block, partFields[name], records[name] ?? [], count) : []
  const transactions = check('Transaction', block.transactionCount)
  // As many receipts as transactions: the count in the block is wrong, which has been reported.
  const isReported = transactions.length > 0 && Receipt.length === Transaction.length
  const receipts = check('Receipt', isReported ? undefined : block.transactionCount)
  const logs = check('Log', published.has('Receipt') && receipts.length === 0 ? logCount(Receipt) : undefined)
  return [...transactions, ...receipts, ...logs]
}

function logCount(receipts: readonly PublishedMessage[]): number | undefined {
  if (receipts.some(({ message }) => message === null)) return undefined
  return receipts.reduce((sum, { message }) => sum + Number(message!.LogCount), 0)
}

/** The parts of one kind whose messages can be read. */
interface BlockParts {
  readonly block: PublishedBlock
  readonly kind: string
  readonly parts: readonly Part[]
  readonly count: number | undefined
}

interface Part {
  readonly record: PublishedMessage
  readonly index: number
  readonly id: unknown
}

function checkParts(
  block: PublishedBlock,
  { kind, indexField, idField }: PartFields,
  all: readonly PublishedMessage[],
  count: number | undefined,
): VerifyFinding[] {
  const { number, hash } = block
  // Missing messages have their own finding.
  const records = all.filter(({ message }) => message !== null)
  const foreign = records.filter(({ message }) => message!.BlockHash !== hash || message!.BlockNumber !== `${number}`)
  if (foreign[0]) {
    const { BlockHash, BlockNumber } = foreign[0].message!
    const message = `${foreign.length} of the ${all.length} ${kind}s belong to another block.`
    const values = { expected: { BlockHash: hash, BlockNumber: `${number}` }, found: { BlockHash, BlockNumber } }
    return [findingAt(foreign[0], number, { code: 'other_block', message, ...values })]
  }
  const parts = records.map(
    (record): Part => ({ record, index: Number(record.message![indexField]), id: idField && record.message![idField] }),
  )
  const readable = { block, kind, parts, count }
  // Records without a message have unknown indexes.
  const missing = all.length > records.length ? [] : checkComplete(readable)
  const wrong = [...checkUnique(readable), ...checkNoExtra(readable), ...missing]
  return wrong.length > 0 ? wrong : checkOrder(readable)
}

function checkUnique({ block: { number }, kind, parts }: BlockParts): VerifyFinding[] {
  const indexes = new Set<number>()
  const ids = new Set<unknown>()
  return parts.flatMap(({ record, index, id }) => {
    const isRepeated = indexes.has(index) || (id !== undefined && ids.has(id))
    indexes.add(index)
    ids.add(id)
    if (!isRepeated) return []
    const message = `The ${kind} ${index} of block ${number} is published more than once.`
    return findingAt(record, number, { code: 'repeated_in_block', message, found: id ?? index })
  })
}

const namedAtMost = 20

function checkNoExtra({ block: { number }, kind, parts, count }: BlockParts): VerifyFinding[] {
  const more = parts.filter(({ index }) => count !== undefined && index >= count)
  if (!more[0]) return []
  const message = `Block ${number} should have ${count} ${kind}s, but ${more.length} with higher indexes are published.`
  const found = more.slice(0, namedAtMost).map(({ index }) => index)
  return [findingAt(more[0].record, number, { code: 'unexpected_in_block', message, expected: count, found })]
}

function checkComplete({ block: { number, record }, kind, parts, count }: BlockParts): VerifyFinding[] {
  // Wrong indexes have been reported.
  if (new Set(parts.map((part) => part.id ?? part)).size === count) return []
  const indexes = new Set(parts.map(({ index }) => index))
  const last = count ?? [...indexes].reduce((highest, index) => Math.max(highest, index), -1) + 1
  // An altered index does not prove that there are more records.
  const there = [...indexes].filter((index) => index < last).length
  if (there === last) return []
  const missing: number[] = []
  for (let index = 0; missing.length < Math.min(namedAtMost, last - there); index++)
    if (!indexes.has(index)) missing.push(index)
  const code: EvmFindingCode = 'missing_in_block'
  const message = `${last - there} of the ${last} ${kind}s of block ${number} are missing.`
  const topic = parts[0] && { topic: parts[0].record.topic }
  return [{ code, message, ...topic, unit: record.unit, source: { block: number }, expected: missing }]
}

function checkOrder({ block: { number }, kind, parts }: BlockParts): VerifyFinding[] {
  for (const [at, { record, index }] of parts.entries()) {
    const before = parts[at - 1]
    if (before?.record.partition !== record.partition || index > before.index) continue
    const message = `The ${kind} ${index} of block ${number} comes after the ${kind} ${before.index}.`
    return [findingAt(record, number, { code: 'out_of_order_in_block', message, expected: index, found: before.index })]
  }
  return []
}
