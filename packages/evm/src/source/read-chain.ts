import { type BlockIdentity, isBlock } from '../block/fetch-block.ts'
import { BlockUnavailableError, ChainChangedError, InvalidBlockRangeError } from '../errors.ts'
import { finalCheckpoint } from '../head/finality.ts'
import { type NewHeads, openNewHeads } from '../head/new-heads.ts'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import { createRpc, type Rpc, readChainId } from '../rpc/rpc.ts'
import { type BlockRanges, createBlockRanges, type RangeOptions } from './block-ranges.ts'
import type { BlockSource, EvmCheckpoint, EvmSettings } from './block-source.ts'
import { type ChainPosition, positionAfter, publishedAt, startingPosition } from './chain-position.ts'
import { createFirstBlock, type FirstBlock } from './first-block.ts'
import { createPublishedBranch } from './published-branch.ts'

/** What is read of a block. */
export interface ChainUnit {
  readonly hash: string
  readonly parentHash: string
}

export interface UnitReader<U extends ChainUnit> {
  /** Yields the units of a range in order, and fetches ahead of them within bounded memory. */
  range(range: UnitRange, signal: AbortSignal): AsyncIterable<U>
  /** Asks each node once; `undefined` if no node has the block. */
  find(number: number, identity: BlockIdentity, signal: AbortSignal): Promise<U | undefined>
  close(): void
}

export interface UnitRange {
  readonly from: number
  readonly last: number
  /** From this block on, nodes may lack a part of a block. */
  readonly newFrom: number
}

/** The position of a unit. */
export interface ChainPlace {
  readonly checkpoint: EvmCheckpoint
  /** Newest block that is still canonical: all published after it are reverted. `null`: all are. */
  readonly revertTo?: EvmCheckpoint | null
  readonly final?: EvmCheckpoint
}

export interface ChainStep<U> {
  readonly unit: U
  readonly place: ChainPlace
}

export interface ChainOptions<U extends ChainUnit> {
  readonly settings: EvmSettings
  readonly source: BlockSource
  readonly connect: ConnectHttp | undefined
  createReader(rpc: Rpc): UnitReader<U>
}

/** Distance from the end up to which nodes may lack a part of a block. */
const newBlocks = 16

/**
 * Reads a chain unit by unit after `history()[0]`, or from `start`. Each unit's parent is the one before it. After a
 * reorganisation the first unit of the new branch has `revertTo`.
 */
export async function* readChain<U extends ChainUnit>({
  settings,
  source,
  connect,
  createReader,
}: ChainOptions<U>): AsyncGenerator<ChainStep<U>, void, undefined> {
  const { ws, start, end } = settings
  if (typeof start === 'number' && end !== undefined && start > end) throw new InvalidBlockRangeError(start, end)
  const { log, history } = source
  const rpc = createRpc({ ...settings, publishedChainId: history()[0]?.chainId, connect, log })
  source.watchEndpoints?.(rpc.health)
  const newHeads = openNewHeads({ url: ws, log })
  const reader = createReader(rpc)
  try {
    const branch = createPublishedBranch(rpc, log)
    const options = { rpc, branch, newHeads, settings, source }
    yield* follow({
      ...options,
      ranges: createBlockRanges(options),
      reader,
      firstBlock: createFirstBlock(rpc, log),
      waitForBlock: createBlockWait(newHeads, settings, source),
    })
  } finally {
    newHeads.close()
    reader.close()
    await rpc.close()
  }
}

interface FollowOptions<U extends ChainUnit> extends RangeOptions {
  readonly ranges: BlockRanges
  readonly reader: UnitReader<U>
  readonly firstBlock: FirstBlock
  readonly waitForBlock: BlockWait
}

async function* follow<U extends ChainUnit>(options: FollowOptions<U>): AsyncGenerator<ChainStep<U>, void, undefined> {
  const { rpc, ranges, reader, firstBlock, settings, source } = options
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
    const wanted = { from: position.next, last: range.last, newFrom: range.end - newBlocks + 1 }
    try {
      for await (const fetched of reader.range(wanted, signal)) {
        const { next, revertTo } = position
        const unit = await continuingUnit(options, position, firstHash, fetched)
        if (!unit) break
        const checkpoint = { number: next, hash: unit.hash, chainId }
        if (revertTo !== undefined) log.warn({ revertTo, next }, 'the chain was reorganised')
        progress(next, range.end)
        const final = range.final && finalCheckpoint(range.final, checkpoint, history())
        // A reverting step declares nothing final: the final block may be reverted.
        yield { unit, place: { checkpoint, ...(revertTo !== undefined ? { revertTo } : final && { final }) } }
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
async function settledPosition({ branch, newHeads, settings, source }: RangeOptions): Promise<ChainPosition> {
  const { history, signal } = source
  for (;;) {
    const { position, isSettled } = await branch.judge(history(), signal)
    if (isSettled) return position
    await newHeads.wait(settings.poll * 1000, signal)
  }
}

/** The fetched block, if it continues from a position; otherwise that of another endpoint. */
async function continuingUnit<U extends ChainUnit>(
  { reader, source: { history, signal } }: FollowOptions<U>,
  { next, previous }: ChainPosition,
  firstHash: string | undefined,
  fetched: U,
): Promise<U | undefined> {
  const except = publishedAt(history(), next)?.hash
  const identity = previous ? { parentHash: previous.hash, except } : { hash: firstHash! }
  return isBlock(fetched, identity) ? fetched : reader.find(next, identity, signal)
}

async function positionAfterMissing(
  { branch, ranges, waitForBlock, source: { history, signal } }: Omit<FollowOptions<never>, 'reader'>,
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
