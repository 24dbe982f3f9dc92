import { setTimeout as delay } from 'node:timers/promises'
import { fetchBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidBlockRangeError } from '../errors.ts'
import { createFinality, finalCheckpoint } from '../head/finality.ts'
import { fetchChainId, fetchHeadNumber } from '../head/head.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { BlockSource, EvmCheckpoint } from './block-source.ts'
import { afterReorganisation, type ChainPosition, startingPosition } from './chain-position.ts'
import { fetchAhead } from './fetch-ahead.ts'
import type { EvmSettings } from './settings.ts'

/** A block, and where in the chain the source is with it: all of a unit but its messages. */
export interface BlockStep {
  readonly block: RpcBlock
  readonly checkpoint: EvmCheckpoint
  /** The chain was reorganised: what was published after this block is no longer part of it. `null`: all of it. */
  readonly revertTo?: EvmCheckpoint | null
  readonly final?: EvmCheckpoint
}

/** How many blocks are fetched side by side. */
const width = 8

/**
 * Reads a chain block by block, from the one after `history()[0]` on, or from `start`. Each block's parent is the block
 * before it; where the chain was reorganised, the first block of the new branch says what to take back.
 *
 * Ends after block `end`, else follows the head for ever. When `signal` is aborted it throws its reason.
 *
 * @throws {ChainChangedError} the node serves another chain than the one published before.
 * @throws {RetryableError} the node could not be reached, or gave no usable answer.
 * @throws {UserError} the settings are wrong, or the node refuses this client.
 */
export async function* readBlocks(
  settings: EvmSettings,
  source: BlockSource,
): AsyncGenerator<BlockStep, void, undefined> {
  const { rpc: urls, start, end } = settings
  if (typeof start === 'number' && end !== undefined && start > end) throw new InvalidBlockRangeError(start, end)
  const rpc = createRpc({ urls: typeof urls === 'string' ? [urls] : urls, log: source.log })
  try {
    yield* follow(rpc, settings, source)
  } finally {
    await rpc.close()
  }
}

async function* follow(
  rpc: Rpc,
  settings: EvmSettings,
  { history, signal, log, progress }: BlockSource,
): AsyncGenerator<BlockStep, void, undefined> {
  const { end = Number.POSITIVE_INFINITY, confirmations, poll } = settings
  const chainId = await fetchChainId(rpc, signal)
  const finality = createFinality(rpc, settings.finality, log)
  const rest = () => delay(poll * 1000, undefined, { signal })

  let position = await startingPosition({ rpc, settings, newest: history()[0], chainId, signal })
  let told = false
  while (position.next <= end) {
    const head = await fetchHeadNumber(rpc, signal)
    const last = Math.min(head - confirmations, end)
    if (last < position.next) {
      if (!told && head < position.next - 1) {
        log.warn({ head, published: position.next - 1 }, 'the head lies below what is published: waiting for the node')
        told = true
      }
      await rest()
      continue
    }
    told = false
    const final = await finality.finalBlock(head, signal)
    const fetch = (number: number, signal: AbortSignal) => fetchBlock(rpc, number, signal)
    for await (const block of fetchAhead({ from: position.next, to: last, width, signal, fetch })) {
      if (!follows(block, position)) {
        position = await afterReorganisation(rpc, history(), signal)
        if (position.revertTo !== undefined) log.warn({ revertTo: position.revertTo }, 'the chain was reorganised')
        else await rest() // nodes behind one address disagree: the block before still stands
        break
      }
      const checkpoint = { number: position.next, hash: block.hash, chainId }
      progress(checkpoint.number, last)
      yield toStep(block, checkpoint, position.revertTo, final && finalCheckpoint(final, checkpoint, history()))
      position = { next: checkpoint.number + 1, previous: checkpoint }
    }
  }
}

function follows(block: RpcBlock, { previous }: ChainPosition): boolean {
  return previous === undefined || block.parentHash === previous.hash
}

/** Nothing is declared final in the step that takes blocks back: the published final block may be one of them. */
function toStep(
  block: RpcBlock,
  checkpoint: EvmCheckpoint,
  revertTo: EvmCheckpoint | null | undefined,
  final: EvmCheckpoint | undefined,
): BlockStep {
  if (revertTo !== undefined) return { block, checkpoint, revertTo }
  return final ? { block, checkpoint, final } : { block, checkpoint }
}
