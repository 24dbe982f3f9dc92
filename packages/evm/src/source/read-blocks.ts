import { fetchInOrder } from '@headrace/sdk'
import { isBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { BlockUnavailableError, InvalidBlockRangeError } from '../errors.ts'
import { createFinality, finalCheckpoint } from '../head/finality.ts'
import { fetchChainId } from '../head/head.ts'
import { openNewHeads } from '../head/new-heads.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource, EvmCheckpoint } from './block-source.ts'
import { type BlockWait, createBlockWait } from './block-wait.ts'
import { type ChainPosition, publishedAt, startingPosition } from './chain-position.ts'
import { createFetchUnit, type FetchedUnit, type FetchUnit } from './fetch-unit.ts'
import { createFirstBlock, type FirstBlock } from './first-block.ts'
import { nextStretch, type StretchOptions } from './next-stretch.ts'
import { openRpc } from './open-rpc.ts'
import { createPublishedBranch } from './published-branch.ts'
import { createReadableHead } from './readable-head.ts'
import type { EvmSettings } from './settings.ts'

/** A block, and where in the chain the source is with it: all of a unit but its messages. */
export interface BlockStep {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty where neither receipts nor logs are asked for. */
  readonly receipts: readonly RpcReceipt[]
  readonly checkpoint: EvmCheckpoint
  /** The chain was reorganised: what was published after this block is no longer part of it. `null`: all of it. */
  readonly revertTo?: EvmCheckpoint | null
  readonly final?: EvmCheckpoint
}

/** So many blocks up to the head, or to the one to end with, are new: nodes may not have all of them yet. */
const newBlocks = 16
/** Length of the answers that are held until they are published. In memory they take a few times as much. */
const aheadLength = 8 << 20

/**
 * Reads a chain block by block, from the one after `history()[0]` on, or from `start`. Each block's parent is the block
 * before it; where the chain was reorganised, the first block of the new branch says what to take back.
 *
 * Ends after block `end`, else follows the head for ever. When `signal` is aborted it throws its reason.
 *
 * @throws {ChainChangedError} the nodes serve another chain than the one published before.
 * @throws {RetryableError} no node could be reached, or none gave a usable answer.
 * @throws {UserError} the settings are wrong, or the nodes refuse this client.
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
  const rpc = openRpc(settings, { publishedChainId: history()[0]?.chainId, connect, log })
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
  const { rpc, unit, settings, source } = options
  const { history, signal, log, progress } = source
  const chainId = await fetchChainId(rpc, signal)
  let position = await startingPosition({ rpc, settings, newest: history()[0], chainId, signal })
  const end = settings.end ?? Number.POSITIVE_INFINITY
  /** The block that no endpoint had when it was last asked for. */
  let missing: number | undefined
  const waitForBlock = createBlockWait(options)
  for (;;) {
    if (position.next > end) position = await whereItStands(options)
    if (position.next > end) return
    const stretch = await nextStretch(options, position)
    position = stretch.position
    const firstHash = await agreedFirst(options, position)
    if (!position.previous && firstHash === undefined) {
      position = await afterMissing(options, position, waitForBlock)
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
        const found = await goingOn(options, position, firstHash, fetched)
        if (!found) break
        const { block, receipts } = found
        const checkpoint = { number: next, hash: block.hash, chainId }
        if (position.revertTo !== undefined)
          log.warn({ revertTo: position.revertTo, next }, 'the chain was reorganised')
        progress(next, stretch.end)
        const final = stretch.final && finalCheckpoint(stretch.final, checkpoint, history())
        yield { block, receipts, checkpoint, ...marks(position, final) }
        position = { next: next + 1, previous: checkpoint }
        if (next === end) return
      }
    } catch (error) {
      // A head may lie above the blocks of its endpoint for a while. Nodes that keep no old blocks never have it.
      if (!(error instanceof BlockUnavailableError) || position.next === missing) throw error
      missing = position.next
    }
    if (position.next <= stretch.last) position = await afterMissing(options, position, waitForBlock)
  }
}

/** Waits until it is known whether what is published, up to the end, is still part of the chain. */
async function whereItStands({ branch, newHeads, settings, source }: FollowOptions): Promise<ChainPosition> {
  const { history, signal } = source
  for (;;) {
    const { position, isSettled } = await branch.judge(history(), signal)
    if (isSettled) return position
    await newHeads.wait(settings.poll * 1000, signal)
  }
}

/** The hash of the block to begin with, where no published block says which it is; `undefined` while it is not known. */
async function agreedFirst(
  { firstBlock, source: { history, signal } }: FollowOptions,
  { next, previous }: ChainPosition,
): Promise<string | undefined> {
  return previous ? undefined : firstBlock.agreedHash(next, publishedAt(history(), next)?.hash, signal)
}

/** The block that goes on from a position, and is not one to be taken back: the fetched one, or one of another endpoint. */
async function goingOn(
  { unit, source: { history, signal } }: FollowOptions,
  { next, previous }: ChainPosition,
  firstHash: string | undefined,
  fetched: FetchedUnit,
): Promise<FetchedUnit | undefined> {
  const except = publishedAt(history(), next)?.hash
  const identity = previous ? { parentHash: previous.hash, except } : { hash: firstHash! }
  return isBlock(fetched.block, identity) ? fetched : unit.find(next, identity, signal)
}

/** Where to read on when no endpoint that answers has a block that goes on from a position. */
async function afterMissing(
  { branch, readableHead, source: { history, signal } }: FollowOptions,
  before: ChainPosition,
  waitForBlock: BlockWait,
): Promise<ChainPosition> {
  const position = history().length > 0 ? (await branch.judge(history(), signal)).position : before
  const isElsewhere = position.revertTo !== undefined && position.next !== before.next
  if (!isElsewhere) {
    readableHead.doubt()
    await waitForBlock(before.next)
  }
  return position
}

/** Nothing is declared final in the step that takes blocks back: the published final block may be one of them. */
function marks({ revertTo }: ChainPosition, final: EvmCheckpoint | undefined): Pick<BlockStep, 'revertTo' | 'final'> {
  if (revertTo !== undefined) return { revertTo }
  return final ? { final } : {}
}
