import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import type { EvmFindingCode } from './finding.ts'
import { findingAt, type PublishedBlock } from './published-block.ts'

/** Messages of one kind of which a block has several, in an order of its own. */
export interface BlockParts {
  /** For people, e.g. `transaction`. */
  readonly kind: string
  readonly records: readonly PublishedMessage[]
  /** The field that numbers them from 0. */
  readonly indexField: 'TransactionIndex' | 'LogIndex'
  /** The field that no two of them share. */
  readonly idField?: 'Hash' | 'TransactionHash'
  /** How many the block has; left out where nothing says so. */
  readonly count?: number | undefined
}

/** How many of those that are missing, or too many, a finding names. */
const namedAtMost = 20

/** Checks that the parts of a block are its own, each once, and in order. */
export function checkParts(block: PublishedBlock, parts: BlockParts): VerifyFinding[] {
  const { number } = block
  // There is a finding about those without a message.
  const records = parts.records.filter(({ message }) => message !== null)
  const strange = records.filter(
    ({ message }) => message!.BlockHash !== block.hash || message!.BlockNumber !== `${number}`,
  )
  if (strange.length > 0) {
    const [first] = strange
    const { BlockHash, BlockNumber } = first!.message!
    const message = `${strange.length} of the ${parts.records.length} ${parts.kind}s are of another block.`
    const [expected, found] = [
      { BlockHash: block.hash, BlockNumber: `${number}` },
      { BlockHash, BlockNumber },
    ]
    return [findingAt(first!, number, { code: 'other_block', message, expected, found })]
  }
  const wrong = [
    ...checkEach(block, parts, records),
    ...checkNoneMore(block, parts, records),
    ...checkAllThere(block, parts, records),
  ]
  return wrong.length > 0 ? wrong : checkOrder(block, parts, records)
}

function checkEach(
  { number }: PublishedBlock,
  { kind, indexField, idField }: BlockParts,
  records: readonly PublishedMessage[],
): VerifyFinding[] {
  const indexes = new Set<unknown>()
  const ids = new Set<unknown>()
  return records.flatMap((record) => {
    const index = record.message![indexField]
    const id = idField && record.message![idField]
    const isRepeated = indexes.has(index) || (id !== undefined && ids.has(id))
    indexes.add(index)
    ids.add(id)
    if (!isRepeated) return []
    const message = `The ${kind} ${index} of block ${number} is there more than once.`
    return findingAt(record, number, { code: 'repeated_in_block', message, found: id ?? index })
  })
}

function checkNoneMore(
  { number }: PublishedBlock,
  { kind, indexField, count }: BlockParts,
  records: readonly PublishedMessage[],
): VerifyFinding[] {
  const more = records.filter(({ message }) => count !== undefined && Number(message![indexField]) >= count)
  const [first] = more
  if (!first) return []
  const message = `Block ${number} has ${count} ${kind}s by itself, and ${more.length} that it cannot have.`
  const found = more.slice(0, namedAtMost).map((record) => Number(record.message![indexField]))
  return [findingAt(first, number, { code: 'unexpected_in_block', message, expected: count, found })]
}

function checkAllThere(
  { number, record: { unit } }: PublishedBlock,
  { kind, records: all, indexField, idField, count }: BlockParts,
  records: readonly PublishedMessage[],
): VerifyFinding[] {
  // Of those whose message is not there nobody knows which they are.
  if (all.length > records.length) return []
  // As many as there are: those with a wrong number have been told.
  if (new Set(records.map((record) => (idField ? record.message![idField] : record))).size === count) return []
  const indexes = new Set(records.map(({ message }) => Number(message![indexField])))
  const last = count ?? highest(indexes) + 1
  // Each number may be one that was altered: it says nothing about how many there can be.
  const there = [...indexes].filter((index) => index < last).length
  if (there === last) return []
  const missing: number[] = []
  for (let index = 0; missing.length < Math.min(namedAtMost, last - there); index++)
    if (!indexes.has(index)) missing.push(index)
  const code: EvmFindingCode = 'missing_in_block'
  const message = `${last - there} of the ${last} ${kind}s of block ${number} are not there.`
  const place = { ...(records[0] && { topic: records[0].topic }), unit, source: { block: number } }
  return [{ code, message, ...place, expected: missing }]
}

function highest(indexes: Iterable<number>): number {
  let found = -1
  for (const index of indexes) found = Math.max(found, index)
  return found
}

function checkOrder(
  { number }: PublishedBlock,
  { kind, indexField }: BlockParts,
  records: readonly PublishedMessage[],
): VerifyFinding[] {
  for (const [at, record] of records.entries()) {
    const before = records[at - 1]
    const [index, previous] = [Number(record.message![indexField]), Number(before?.message?.[indexField])]
    if (before?.partition !== record.partition || index > previous) continue
    const message = `The ${kind} ${index} of block ${number} comes after the ${kind} ${previous}.`
    return [findingAt(record, number, { code: 'out_of_order_in_block', message, expected: index, found: previous })]
  }
  return []
}
