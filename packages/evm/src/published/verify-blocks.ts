import type { Published, PublishedUnit, VerifyFinding } from '@headrace/sdk'
import type { EvmCheckpoint } from '../source/block-source.ts'
import { type AbsentParts, createAbsentParts } from './absent-parts.ts'
import { checkBlockParts, type RecordsByMessage } from './check-block-parts.ts'
import { createBlockComparison, type EvmSchema, type ToMessages } from './compare-blocks.ts'
import { type EvmFindingCode, findingAt, type PublishedBlock, toPublishedBlock } from './published-block.ts'

/** For units that wait for the answer of the chain. */
const aheadBytes = 8 << 20

/**
 * Verifies a chain published as `Block`, `Transaction` and, optionally, `Receipt` and `Log`.
 *
 * Checks of every block: it is the child of the block before it; its transactions, receipts and logs belong to it, are
 * complete, unique and in order; its stored checkpoint, if any, is at this block. Blocks selected for comparison must
 * equal those of the chain.
 *
 * @param toMessages Maps a block as `read` does.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
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
      const { block, found, hasFindings } = checkUnit(unit, unit.isFirst ? undefined : previous, absentParts)
      previous = block
      yield* found
      // A comparison would report the same findings again.
      if (!block || !unit.compare || hasFindings) continue
      const findings = comparison.compare(unit, block)
      // Rejections are thrown by `takeFirst`.
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
  readonly block: PublishedBlock | undefined
  readonly found: readonly VerifyFinding[]
  readonly hasFindings: boolean
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
    return { block: undefined, found: [{ code, message: `Unit ${unit} has no block.`, unit }], hasFindings: true }
  }
  const block = toPublishedBlock(first)
  if (!block) return { block, found: [], hasFindings: true }
  const repeated =
    second && findingAt(second, block.number, { code: 'block_repeated', message: `Unit ${unit} has two blocks.` })
  const absent = absentParts.take(block, byMessage, topics)
  const published = new Set(Object.keys(topics).filter((name) => !absent.names.has(name)))
  const found = [
    ...(previous ? checkLink(block, previous) : []),
    ...(repeated ? [repeated] : checkBlockParts(block, byMessage, published)),
    ...checkPosition(block, checkpoint as EvmCheckpoint | undefined),
  ]
  return { block, found: [...absent.findings, ...found], hasFindings: absent.names.size > 0 || found.length > 0 }
}

function checkPosition(
  { record, number, hash }: PublishedBlock,
  checkpoint: EvmCheckpoint | undefined,
): VerifyFinding[] {
  if (!checkpoint || (checkpoint.number === number && checkpoint.hash === hash)) return []
  const message = `The checkpoint of the unit is not at its block ${number}.`
  const found = { number: checkpoint.number, hash: checkpoint.hash }
  return [findingAt(record, number, { code: 'checkpoint_elsewhere', message, expected: { number, hash }, found })]
}

function checkLink(block: PublishedBlock, previous: PublishedBlock): VerifyFinding[] {
  const { number, parentHash, record } = block
  if (number !== previous.number + 1) {
    const message = `Block ${number} follows block ${previous.number}.`
    return [findingAt(record, number, { code: 'block_gap', message, expected: previous.number + 1, found: number })]
  }
  if (parentHash === previous.hash) return []
  const message = `The parent of block ${number} is not the published block ${previous.number}.`
  return [findingAt(record, number, { code: 'block_unlinked', message, expected: previous.hash, found: parentHash })]
}
