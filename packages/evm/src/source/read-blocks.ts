import { fetchInOrder } from '@headrace/sdk'
import { isBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { BlockUnavailableError, ChainChangedError, InvalidBlockRangeError } from '../errors.ts'
import { finalCheckpoint } from '../head/finality.ts'
import { type NewHeads, openNewHeads } from '../head/new-heads.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import { createRpc, readChainId } from '../rpc/rpc.ts'
import { type BlockRanges, createBlockRanges, type RangeOptions } from './block-ranges.ts'
import type { BlockSource, EvmCheckpoint, EvmSettings } from './block-source.ts'
import { type ChainPosition, positionAfter, publishedAt, startingPosition } from './chain-position.ts'
import { createFetchUnit, type FetchedUnit, type FetchUnit } from './fetch-unit.ts'
import { createFirstBlock, type FirstBlock } from './first-block.ts'
import { createPublishedBranch } from './published-branch.ts'

/** A unit without its messages: a block and its checkpoint. */
export interface BlockStep {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty without settings `receipts` and `logs`. */
  readonly receipts: readonly RpcReceipt[]
  readonly checkpoint: EvmCheckpoint
  /** Newest block that is still canonical: all published after it are reverted. `null`: all are. */
  readonly revertTo?: EvmCheckpoint | null
  readonly final?: EvmCheckpoint
}

/** Distance from the end up to which nodes may lack a part of a block. */
const newBlocks = 16
/** In characters. In memory, answers take a few times as much. */
const aheadLength = 8 << 20

/**
 * Reads a chain block by block after `history()[0]`, or from `start`. Each block's parent is the block before it. After
 * a reorganisation the first block of the new branch has `revertTo`.
 *
 * Ends after block `end`, or follows the head indefinitely. Throws the reason of `signal` when it is aborted.
 *
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {UserError} the settings are invalid, or the nodes refuse this client.
 *
 * @param connect How the nodes are reached. Default: over HTTP.
 */
export async function* readBlocks(
  settings: EvmSettings,
  source: BlockSource,
  connect?: ConnectHttp,
): AsyncGenerator<BlockStep, void, undefined> {
  const { ws, start, end } = settings
  if (typeof start === 'number' && end !== undefined && start > end) throw new InvalidBlockRangeError(start, end)
  const { log, history } = source
  const rpc = createRpc({ ...settings, publishedChainId: history()[0]?.chainId, connect, log })
  source.watchEndpoints?.(rpc.health)
  const newHeads = openNewHeads({ url: ws, log })
  try {
    const branch = createPublishedBranch(rpc, log)
    const options = { rpc, branch, newHeads, settings, source }
    yield* follow({
      ...options,
      ranges: createBlockRanges(options),
      unit: createFetchUnit(rpc, settings, log),
      firstBlock: createFirstBlock(rpc, log),
      waitForBlock: createBlockWait(newHeads, settings, source),
    })
  } finally {
    newHeads.close()
    await rpc.close()
  }
}

interface FollowOptions extends RangeOptions {
  readonly ranges: BlockRanges
  readonly unit: FetchUnit
  readonly firstBlock: FirstBlock
  readonly waitForBlock: BlockWait
}

async function* follow(options: FollowOptions): AsyncGenerator<BlockStep, void, undefined> {
  const { rpc, ranges, unit, firstBlock, settings, source } = options
  const { history, signal, log, progress } = source
  const chainId = await rpc.call({ method: 'eth_chainId', params: [], read: readChainId, signal })
  const [newest] = history()
  if (newest && newest.chainId !== chainId) throw new ChainChangedError(newest.chainId, chainId)
  let position = newest ? positionAfter(newest, history()) : await startingPosition(rpc, settings, signal)
  const end = settings.end ?? Number.POSITIVE_INFINITY
  let missing: number | undefined
  for (;;) {
    if (position.next > end) position = await settledPosition(options)
    if (position.next > end) return
    const range = await ranges.next(position)
    position = range.position
    const except = publishedAt(history(), position.next)?.hash
    const firstHash = position.previous ? undefined : await firstBlock(position.next, except, signal)
    if (!position.previous && firstHash === undefined) {
      position = await positionAfterMissing(options, position)
      continue
    }
    const units = fetchInOrder({
      ...{ from: position.next, to: range.last, signal },
      fetch: (number, signal) => unit.at(number, { isNew: number > range.end - newBlocks, signal }),
      width: () => rpc.width,
      maxBytes: aheadLength,
      sizeOf: ({ length }: FetchedUnit) => length,
    })
    try {
      for await (const fetched of units) {
        const { next, revertTo } = position
        const found = await continuingUnit(options, position, firstHash, fetched)
        if (!found) break
        const { block, receipts } = found
        const checkpoint = { number: next, hash: block.hash, chainId }
        if (revertTo !== undefined) log.warn({ revertTo, next }, 'the chain was reorganised')
        progress(next, range.end)
        const final = range.final && finalCheckpoint(range.final, checkpoint, history())
        // A reverting step declares nothing final: the final block may be reverted.
        yield { block, receipts, checkpoint, ...(revertTo !== undefined ? { revertTo } : final && { final }) }
        position = { next: next + 1, previous: checkpoint }
        if (next === end) return
      }
    } catch (error) {
      // A head may be ahead of the blocks of its endpoint. A node without old blocks never has them.
      if (!(error instanceof BlockUnavailableError) || position.next === missing) throw error
      missing = position.next
    }
    if (position.next <= range.last) position = await positionAfterMissing(options, position)
  }
}

/** Waits until it is certain whether the published blocks are canonical. */
async function settledPosition({ branch, newHeads, settings, source }: FollowOptions): Promise<ChainPosition> {
  const { history, signal } = source
  for (;;) {
    const { position, isSettled } = await branch.judge(history(), signal)
    if (isSettled) return position
    await newHeads.wait(settings.poll * 1000, signal)
  }
}

/** The fetched block, if it continues from a position; otherwise that of another endpoint. */
async function continuingUnit(
  { unit, source: { history, signal } }: FollowOptions,
  { next, previous }: ChainPosition,
  firstHash: string | undefined,
  fetched: FetchedUnit,
): Promise<FetchedUnit | undefined> {
  const except = publishedAt(history(), next)?.hash
  const identity = previous ? { parentHash: previous.hash, except } : { hash: firstHash! }
  return isBlock(fetched.block, identity) ? fetched : unit.find(next, identity, signal)
}

async function positionAfterMissing(
  { branch, ranges, waitForBlock, source: { history, signal } }: FollowOptions,
  before: ChainPosition,
): Promise<ChainPosition> {
  const position = history().length > 0 ? (await branch.judge(history(), signal)).position : before
  const isReverted = position.revertTo !== undefined && position.next !== before.next
  if (!isReverted) {
    ranges.askAll()
    await waitForBlock(before.next)
  }
  return position
}

type BlockWait = (number: number) => Promise<void>

const fewWaits = 5
const longestWaitMs = 10_000

/** Short at first, because nodes behind a load balancer lag by seconds only. */
function createBlockWait(newHeads: NewHeads, { poll }: EvmSettings, { log, signal }: BlockSource): BlockWait {
  let awaited: number | undefined
  let waits = 0
  return async (number) => {
    waits = number === awaited ? waits + 1 : 1
    awaited = number
    if (waits === fewWaits + 1) log.warn({ block: number }, 'no endpoint has a block that continues the chain: waiting')
    const pollMs = poll * 1000
    const longest = Math.max(pollMs, longestWaitMs)
    await newHeads.wait(Math.min(pollMs * 2 ** Math.max(0, waits - fewWaits), longest), signal)
  }
}
