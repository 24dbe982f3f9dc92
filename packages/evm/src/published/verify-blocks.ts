import { setTimeout } from 'node:timers/promises'
import type { EncodedMessages, Messages, Published, PublishedUnit, Schema, VerifyFinding } from '@headrace/sdk'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import { BlockUnavailableError, InvalidAnswerError, RpcUnavailableError } from '../errors.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint, EvmSettings } from '../source/block-source.ts'
import { ChainBlock, messagesOf } from '../source/block-step.ts'
import { createFetchUnit, type FetchedUnit, type FetchUnit } from '../source/fetch-unit.ts'
import { type AbsentParts, createAbsentParts } from './absent-parts.ts'
import { checkBlockParts, type RecordsByMessage } from './check-block-parts.ts'
import { type EvmFindingCode, findingAt, type PublishedBlock, toPublishedBlock } from './published-block.ts'

export type EvmSchema = Schema & { readonly config: EvmSettings }

export type ToMessages<S extends Schema> = (block: ChainBlock) => Messages<S>

/** Maximum size of the units that wait for the answer of the chain, in bytes. */
const aheadBytes = 8 << 20

/**
 * Verifies a chain published as `Block`, `Transaction` and, optionally, `Receipt` and `Log`.
 *
 * Checks of every block: it is the child of the block before it; its transactions, receipts and logs belong to it, are
 * complete, unique and in order; its stored checkpoint, if any, is at this block. Blocks selected for comparison must
 * equal those of the chain.
 *
 * @param toMessages Maps a block as `read` does. Default: the messages of `readBlocks`.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
 *
 * @example
 * ```ts
 * verify: (published) => verifyBlocks(published),
 * ```
 */
export async function* verifyBlocks<S extends EvmSchema>(
  published: Published<S, EvmCheckpoint>,
  toMessages?: ToMessages<S>,
): AsyncGenerator<VerifyFinding, void, undefined> {
  const { config, checkpoint, signal, log } = published
  const rpc = createRpc({ ...config, publishedChainId: checkpoint?.chainId, log })
  const fetchUnit = createFetchUnit(rpc, config, published)
  const compareBlock = createCompareBlock({ rpc, fetchUnit, signal }, toMessages)
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
      const findings = compareBlock(unit, block)
      // Rejections are thrown by `takeFirst`.
      findings.catch(() => {})
      comparing.push({ findings, bytes: unit.bytes })
      heldBytes += unit.bytes
      while (comparing.length >= rpc.width || heldBytes > aheadBytes) yield* await takeFirst()
    }
    yield* absentParts.end()
    while (comparing.length > 0) yield* await takeFirst()
  } finally {
    fetchUnit.close()
    await rpc.close()
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

const firstPauseMs = 500
const longestPauseMs = 4000

type CompareBlock<S extends Schema> = (
  unit: PublishedUnit<S>,
  block: PublishedBlock,
) => Promise<readonly VerifyFinding[]>

interface ComparedChain {
  readonly rpc: Rpc
  readonly fetchUnit: FetchUnit
  readonly signal: AbortSignal
}

function createCompareBlock<S extends EvmSchema>(
  { rpc, fetchUnit, signal }: ComparedChain,
  toMessages: ToMessages<S> | undefined,
): CompareBlock<S> {
  return async (unit, { record, number, hash: expected }) => {
    const first = await fetchFirst(number)
    const fetched = first?.block.hash === expected ? first : await findPublished(number, expected)
    if (!fetched) {
      const message = first
        ? `The chain has another block ${number} than the published one.`
        : `The chain has no block ${number}.`
      const values = { expected: first?.block.hash ?? null, found: expected }
      return [findingAt(record, number, { code: 'block_replaced', message, ...values })]
    }
    return unit.differences(await messagesFrom(fetched)).map((finding) => ({ ...finding, source: { block: number } }))
  }

  /** Asks another node if the block cannot be mapped. */
  async function messagesFrom(fetched: FetchedUnit): Promise<Messages<S> | EncodedMessages<S>> {
    if (!toMessages) return messagesOf(fetched) as EncodedMessages<S>
    try {
      return toMessages(new ChainBlock(fetched))
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error
      const { number, hash } = fetched.block
      const other = await fetchUnit.find(number, { hash }, signal)
      if (!other) throw error
      return toMessages(new ChainBlock(other))
    }
  }

  /** `undefined` once every node has answered that it does not have the block. */
  async function findPublished(number: number, hash: string): Promise<FetchedUnit | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const found = await fetchUnit.find(number, { hash }, signal)
      if (found) return found
      const headers = [...(await fetchHeaderOfEach(rpc, number, signal))]
      const unsure = headers.find(([, header]) => header === undefined || header?.hash === hash)
      if (!unsure) return undefined
      if (pauseMs > longestPauseMs) throw new RpcUnavailableError(unsure[0], `which block ${number} it has is unknown`)
      await setTimeout(pauseMs, undefined, { signal })
    }
  }

  /** `undefined` if every node answers that it has no such block. */
  async function fetchFirst(number: number): Promise<FetchedUnit | undefined> {
    try {
      return await fetchUnit.at(number, { isNew: false, signal })
    } catch (error) {
      if (!(error instanceof BlockUnavailableError)) throw error
      const headers = await fetchHeaderOfEach(rpc, number, signal)
      if ([...headers.values()].every((header) => header === null)) return undefined
      throw error
    }
  }
}
