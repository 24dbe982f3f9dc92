import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'

export interface PublishedBlock {
  readonly record: PublishedMessage
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly transactionCount: number
}

export function toPublishedBlock(record: PublishedMessage): PublishedBlock | undefined {
  const { message } = record
  if (!message) return undefined
  return {
    record,
    number: Number(message.Number),
    hash: String(message.Hash),
    parentHash: String(message.ParentHash),
    transactionCount: Number(message.TransactionCount),
  }
}

export function findingAt(
  { topic, partition, offset, seq, unit }: PublishedMessage,
  block: number,
  finding: Pick<VerifyFinding, 'message' | 'expected' | 'found'> & { readonly code: EvmFindingCode },
): VerifyFinding {
  const { code, message, ...values } = finding
  return { code, message, topic, partition, offset: `${offset}`, seq, unit, source: { block }, ...values }
}

/** Codes of findings by `verifyBlocks`, in addition to those for any connector. */
export const evmFindingCodes = [
  'block_missing',
  'block_repeated',
  'block_gap',
  'block_unlinked',
  'block_replaced',
  'checkpoint_elsewhere',
  'other_block',
  'missing_in_block',
  'repeated_in_block',
  'unexpected_in_block',
  'out_of_order_in_block',
] as const

export type EvmFindingCode = (typeof evmFindingCodes)[number]
