import type { Published, PublishedUnit, VerifyFinding } from '@headrace/sdk'
import type { EvmCheckpoint } from '../source/block-source.ts'
import { type AbsentParts, createAbsentParts } from './absent-parts.ts'
import { checkBlockParts, type RecordsByMessage } from './check-block-parts.ts'
import { checkLink } from './check-link.ts'
import { createBlockComparison, type EvmSchema, type ToMessages } from './compare-blocks.ts'
import type { EvmFindingCode } from './finding.ts'
import { findingAt, type PublishedBlock, toPublishedBlock } from './published-block.ts'

/** Bytes of the units that wait for the chain's answer. The answers take a few times as much. */
const aheadBytes = 8 << 20

/**
 * Verifies a chain that was published as `Block` and `Transaction` and, where they were asked for, `Receipt` and `Log`.
 *
 * Of every block: it follows the one before, by number and by hash, its transactions, receipts and logs are its own, each
 * there once and in order, and as many as it says, and its checkpoint, where it is kept, is at the block. Of those to be compared: all of it is what the chain has.
 *
 * @param toMessages Makes the messages that `read` makes of a block.
 * @throws {RetryableError} no node could be reached, or none gave a usable answer.
 * @throws {ChainChangedError} the nodes serve another chain than the one published.
 *
 * @example
 * ```ts
 * verify: (published) => verifyBlocks(published, (block) => toMessages(block, published.config)),
 * ```
 */
export async function* verifyBlocks<S extends EvmSchema>(
  published: Published<S, EvmCheckpoint>,
  toMessages: ToMessages<S>,
): AsyncGenerator<VerifyFinding, void, undefined> {
  const comparison = createBlockComparison(published, toMessages)
  const comparing: { readonly findings: Promise<readonly VerifyFinding[]>; readonly bytes: number }[] = []
  const absentParts = createAbsentParts()
  let heldBytes = 0
  let previous: PublishedBlock | undefined

  try {
    for await (const unit of published.units) {
      const { block, found, isSaid } = checkUnit(unit, unit.isFirst ? undefined : previous, absentParts)
      previous = block
      yield* found
      // To compare it too would be to say the same again.
      if (!block || !unit.compare || isSaid) continue
      const findings = comparison.compare(unit, block)
      // Whoever takes it meets the failure.
      findings.catch(() => {})
      comparing.push({ findings, bytes: unit.bytes })
      heldBytes += unit.bytes
      while (comparing.length >= comparison.width || heldBytes > aheadBytes) yield* await takeFirst()
    }
    yield* absentParts.end()
    while (comparing.length > 0) yield* await takeFirst()
  } finally {
    await comparison.close()
  }

  function takeFirst(): Promise<readonly VerifyFinding[]> {
    const first = comparing.shift()!
    heldBytes -= first.bytes
    return first.findings
  }
}

interface CheckedUnit {
  /** `undefined` where the unit has no block to go by. */
  readonly block: PublishedBlock | undefined
  readonly found: readonly VerifyFinding[]
  /** Whether something is wrong with the unit. */
  readonly isSaid: boolean
}

function checkUnit<S extends EvmSchema>(
  { unit, records, topics, checkpoint }: PublishedUnit<S>,
  previous: PublishedBlock | undefined,
  absentParts: AbsentParts,
): CheckedUnit {
  const byMessage = records as RecordsByMessage
  const [first, second] = byMessage.Block ?? []
  if (!first) {
    const code: EvmFindingCode = 'block_missing'
    return { block: undefined, found: [{ code, message: `Unit ${unit} has no block.`, unit }], isSaid: true }
  }
  const block = toPublishedBlock(first)
  if (!block) return { block, found: [], isSaid: true }
  const repeated =
    second && findingAt(second, block.number, { code: 'block_repeated', message: `Unit ${unit} has two blocks.` })
  const absent = absentParts.take(block, byMessage, topics)
  const published = new Set(Object.keys(topics).filter((name) => !absent.names.has(name)))
  const found = [
    ...(previous ? checkLink(block, previous) : []),
    ...(repeated ? [repeated] : checkBlockParts(block, byMessage, published)),
    ...checkPosition(block, checkpoint as EvmCheckpoint | undefined),
  ]
  return { block, found: [...absent.findings, ...found], isSaid: absent.names.size > 0 || found.length > 0 }
}

/** The checkpoint of a unit is the position of its block: a run continues from there, and reverts to it. */
function checkPosition(
  { record, number, hash }: PublishedBlock,
  checkpoint: EvmCheckpoint | undefined,
): VerifyFinding[] {
  if (!checkpoint || (checkpoint.number === number && checkpoint.hash === hash)) return []
  const message = `The checkpoint of the unit is not at its block ${number}.`
  const found = { number: checkpoint.number, hash: checkpoint.hash }
  return [findingAt(record, number, { code: 'checkpoint_elsewhere', message, expected: { number, hash }, found })]
}
