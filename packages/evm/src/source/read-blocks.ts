import { fetchInOrder } from '@headrace/sdk'
import { isBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { BlockUnavailableError, InvalidBlockRangeError } from '../errors.ts'
import { createFinality, finalCheckpoint } from '../head/finality.ts'
import { openNewHeads } from '../head/new-heads.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import { createRpc, type Rpc, readChainId } from '../rpc/rpc.ts'
import type { BlockSource, EvmCheckpoint } from './block-source.ts'
import { type ChainPosition, publishedAt, startingPosition } from './chain-position.ts'
import { createFetchUnit, type FetchedUnit, type FetchUnit } from './fetch-unit.ts'
import { createFirstBlock, type FirstBlock } from './first-block.ts'
import { nextStretch, type StretchOptions } from './next-stretch.ts'
import { createPublishedBranch } from './published-branch.ts'
import { createReadableHead } from './readable-head.ts'
import type { EvmSettings } from './settings.ts'

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
    yield* follow({
      ...{ rpc, newHeads, settings, source },
      unit: createFetchUnit(rpc, settings, log),
      finality: createFinality(rpc, settings.finality, log),
      readableHead: createReadableHead(rpc, log),
      branch: createPublishedBranch(rpc, log),
      firstBlock: createFirstBlock(rpc, log),
    })
  } finally {
    newHeads.close()
    await rpc.close()
  }
}

interface FollowOptions extends StretchOptions {
  readonly rpc: Rpc
  readonly unit: FetchUnit
  readonly firstBlock: FirstBlock
}

async function* follow(options: FollowOptions): AsyncGenerator<BlockStep, void, undefined> {
  const { rpc, unit, firstBlock, settings, source } = options
  const { history, signal, log, progress } = source
  const chainId = await rpc.call({ method: 'eth_chainId', params: [], read: readChainId, signal })
  let position = await startingPosition({ rpc, settings, newest: history()[0], chainId, signal })
  const end = settings.end ?? Number.POSITIVE_INFINITY
  let missing: number | undefined
  const waitForBlock = createBlockWait(options)
  for (;;) {
    if (position.next > end) position = await settledPosition(options)
    if (position.next > end) return
    const stretch = await nextStretch(options, position)
    position = stretch.position
    const except = publishedAt(history(), position.next)?.hash
    const firstHash = position.previous ? undefined : await firstBlock(position.next, except, signal)
    if (!position.previous && firstHash === undefined) {
      position = await positionAfterMissing(options, position, waitForBlock)
      continue
    }
    const units = fetchInOrder({
      ...{ from: position.next, to: stretch.last, signal },
      fetch: (number, signal) => unit.at(number, { isNew: number > stretch.end - newBlocks, signal }),
      width: () => rpc.width,
      maxBytes: aheadLength,
      sizeOf: ({ length }: FetchedUnit) => length,
    })
    try {
      for await (const fetched of units) {
        const { next } = position
        const found = await continuingUnit(options, position, firstHash, fetched)
        if (!found) break
        const { block, receipts } = found
        const checkpoint = { number: next, hash: block.hash, chainId }
        if (position.revertTo !== undefined)
          log.warn({ revertTo: position.revertTo, next }, 'the chain was reorganised')
        progress(next, stretch.end)
        const final = stretch.final && finalCheckpoint(stretch.final, checkpoint, history())
        yield { block, receipts, checkpoint, ...revertOrFinal(position, final) }
        position = { next: next + 1, previous: checkpoint }
        if (next === end) return
      }
    } catch (error) {
      // A head may be ahead of the blocks of its endpoint. A node without old blocks never has them.
      if (!(error instanceof BlockUnavailableError) || position.next === missing) throw error
      missing = position.next
    }
    if (position.next <= stretch.last) position = await positionAfterMissing(options, position, waitForBlock)
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
  { branch, readableHead, source: { history, signal } }: FollowOptions,
  before: ChainPosition,
  waitForBlock: BlockWait,
): Promise<ChainPosition> {
  const position = history().length > 0 ? (await branch.judge(history(), signal)).position : before
  const isReverted = position.revertTo !== undefined && position.next !== before.next
  if (!isReverted) {
    readableHead.askAll()
    await waitForBlock(before.next)
  }
  return position
}

/** A reverting step declares nothing final: the final block may be reverted. */
function revertOrFinal(
  { revertTo }: ChainPosition,
  final: EvmCheckpoint | undefined,
): Pick<BlockStep, 'revertTo' | 'final'> {
  if (revertTo !== undefined) return { revertTo }
  return final ? { final } : {}
}

type BlockWait = (number: number) => Promise<void>

const fewWaits = 5
const longestWaitMs = 10_000

/** Short at first, because nodes behind a load balancer lag by seconds only. */
function createBlockWait({ newHeads, settings, source: { log, signal } }: FollowOptions): BlockWait {
  let awaited: number | undefined
  let waits = 0
  return async (number) => {
    waits = number === awaited ? waits + 1 : 1
    awaited = number
    if (waits === fewWaits + 1) log.warn({ block: number }, 'no endpoint has a block that continues the chain: waiting')
    const pollMs = settings.poll * 1000
    const longest = Math.max(pollMs, longestWaitMs)
    await newHeads.wait(Math.min(pollMs * 2 ** Math.max(0, waits - fewWaits), longest), signal)
  }
}
