import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import type { EvmFindingCode } from './finding.ts'

/** What a record of `Block` says about its place in the chain. */
export interface PublishedBlock {
  readonly record: PublishedMessage
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly transactionCount: number
}

/** `undefined` where the message is not there. */
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

/** A finding about a record of a block. */
export function findingAt(
  { topic, partition, offset, seq, unit }: PublishedMessage,
  block: number,
  finding: Pick<VerifyFinding, 'message' | 'expected' | 'found'> & { readonly code: EvmFindingCode },
): VerifyFinding {
  const { code, message, ...values } = finding
  return { code, message, topic, partition, offset: `${offset}`, seq, unit, source: { block }, ...values }
}
