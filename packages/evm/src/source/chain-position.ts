import { fetchHeader } from '../block/fetch-block.ts'
import { InvalidBlockRangeError } from '../errors.ts'
import { fetchHead } from '../head/head.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint, EvmSettings } from './block-source.ts'

export interface ChainPosition {
  readonly next: number
  /** The parent of the next block. Undefined if no block has been published. */
  readonly previous: EvmCheckpoint | undefined
  readonly revertTo?: EvmCheckpoint | null
}

/** The position before the block that the setting `start` names. */
export async function startingPosition(rpc: Rpc, settings: EvmSettings, signal: AbortSignal): Promise<ChainPosition> {
  const { end } = settings
  const next = await firstNumber(rpc, settings, signal)
  if (end !== undefined && next > end) throw new InvalidBlockRangeError(next, end)
  return { next, previous: undefined }
}

async function firstNumber(rpc: Rpc, { start, confirmations }: EvmSettings, signal: AbortSignal): Promise<number> {
  if (start === 'earliest') return toNumber((await fetchHeader(rpc, 'earliest', signal)).number)
  if (start === 'latest') return Math.max(0, (await fetchHead(rpc, signal)).number - confirmations)
  return start
}

/** The canonical published block with this number. */
export function publishedAt(history: readonly EvmCheckpoint[], number: number): EvmCheckpoint | undefined {
  const newest = history[0]
  const found = newest && history[newest.number - number]
  return found?.number === number ? found : undefined
}

/** The position after `block`. Published blocks after it are to be reverted. */
export function positionAfter(block: EvmCheckpoint, history: readonly EvmCheckpoint[]): ChainPosition {
  const position = { next: block.number + 1, previous: block }
  return block === history[0] ? position : { ...position, revertTo: block }
}
