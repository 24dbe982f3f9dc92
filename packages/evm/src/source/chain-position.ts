import { fetchHeader } from '../block/fetch-block.ts'
import { ChainChangedError, InvalidBlockRangeError } from '../errors.ts'
import { fetchHead } from '../head/head.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import type { EvmSettings } from './settings.ts'

export interface ChainPosition {
  readonly next: number
  /** Parent of the next block. */
  readonly previous: EvmCheckpoint | undefined
  readonly revertTo?: EvmCheckpoint | null
}

/** After the newest published block, or at `start`. */
export async function startingPosition(options: {
  readonly rpc: Rpc
  readonly settings: EvmSettings
  readonly newest: EvmCheckpoint | undefined
  readonly chainId: number
  readonly signal: AbortSignal
}): Promise<ChainPosition> {
  const { rpc, settings, newest, chainId, signal } = options
  if (!newest) {
    const next = await firstBlock(rpc, settings, signal)
    if (settings.end !== undefined && next > settings.end) throw new InvalidBlockRangeError(next, settings.end)
    return { next, previous: undefined }
  }
  if (newest.chainId !== chainId) throw new ChainChangedError(newest.chainId, chainId)
  return { next: newest.number + 1, previous: newest }
}

/** The published block of a number, if it is canonical. */
export function publishedAt(history: readonly EvmCheckpoint[], number: number): EvmCheckpoint | undefined {
  const newest = history[0]
  const found = newest && history[newest.number - number]
  return found?.number === number ? found : undefined
}

/** Blocks published after `block` are to be reverted. */
export function positionAfter(block: EvmCheckpoint, history: readonly EvmCheckpoint[]): ChainPosition {
  const position = { next: block.number + 1, previous: block }
  return block === history[0] ? position : { ...position, revertTo: block }
}

async function firstBlock(rpc: Rpc, settings: EvmSettings, signal: AbortSignal): Promise<number> {
  switch (settings.start) {
    case 'earliest':
      return toNumber((await fetchHeader(rpc, 'earliest', signal)).number)
    case 'latest':
      return Math.max(0, (await fetchHead(rpc, signal)).number - settings.confirmations)
    default:
      return settings.start
  }
}
