import { fetchHeader } from '../block/fetch-block.ts'
import { ChainChangedError } from '../errors.ts'
import { fetchHeadNumber } from '../head/head.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import type { EvmSettings } from './settings.ts'

/** Where in the chain to read on. */
export interface ChainPosition {
  readonly next: number
  /** What the next block's parent must be. */
  readonly previous: EvmCheckpoint | undefined
  /** What the next block takes back; see `BlockStep`. */
  readonly revertTo?: EvmCheckpoint | null
}

/**
 * The position after the newest published block, or at `start`.
 *
 * @throws {ChainChangedError}
 */
export async function startingPosition(options: {
  readonly rpc: Rpc
  readonly settings: EvmSettings
  readonly newest: EvmCheckpoint | undefined
  /** The chain that the node serves. */
  readonly chainId: number
  readonly signal: AbortSignal
}): Promise<ChainPosition> {
  const { rpc, settings, newest, chainId, signal } = options
  if (!newest) return { next: await firstBlock(rpc, settings, signal), previous: undefined }
  if (newest.chainId !== chainId) throw new ChainChangedError(newest.chainId, chainId)
  return { next: newest.number + 1, previous: newest }
}

/**
 * The position after the newest published block that is part of the node's chain, found by hash. Where none is, all is
 * taken back and read again from the oldest on; whether it may be taken back is the runtime's to say.
 *
 * @throws {BlockUnavailableError} the node lags behind what was published: that alone is no reorganisation.
 */
export async function afterReorganisation(
  rpc: Rpc,
  history: readonly EvmCheckpoint[],
  signal: AbortSignal,
): Promise<ChainPosition> {
  for (const [age, checkpoint] of history.entries()) {
    const { hash } = await fetchHeader(rpc, checkpoint.number, signal)
    if (hash !== checkpoint.hash) continue
    const position = { next: checkpoint.number + 1, previous: checkpoint }
    return age === 0 ? position : { ...position, revertTo: checkpoint }
  }
  return { next: history.at(-1)?.number ?? 0, previous: undefined, revertTo: null }
}

async function firstBlock(rpc: Rpc, settings: EvmSettings, signal: AbortSignal): Promise<number> {
  switch (settings.start) {
    case 'earliest':
      return toNumber((await fetchHeader(rpc, 'earliest', signal)).number)
    case 'latest':
      return Math.max(0, (await fetchHeadNumber(rpc, signal)) - settings.confirmations)
    default:
      return settings.start
  }
}
