import type { VerifyFinding } from '@headrace/sdk'
import { findingAt, type PublishedBlock } from './published-block.ts'

/** Checks that a block is the one after another. */
export function checkLink(block: PublishedBlock, previous: PublishedBlock): VerifyFinding[] {
  const { number, parentHash, record } = block
  if (number !== previous.number + 1) {
    const message = `Block ${number} follows block ${previous.number}.`
    return [findingAt(record, number, { code: 'block_gap', message, expected: previous.number + 1, found: number })]
  }
  if (parentHash === previous.hash) return []
  const message = `The parent of block ${number} is another one than the block ${previous.number} that stands.`
  return [findingAt(record, number, { code: 'block_unlinked', message, expected: previous.hash, found: parentHash })]
}
