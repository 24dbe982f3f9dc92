import type { NewHeads } from '../head/new-heads.ts'
import type { BlockSource } from './block-source.ts'
import type { EvmSettings } from './settings.ts'

/** Waits before a block is asked for again that no endpoint has, though a head lies above it. */
export type BlockWait = (number: number) => Promise<void>

export interface BlockWaitOptions {
  readonly newHeads: NewHeads
  readonly settings: Pick<EvmSettings, 'poll'>
  readonly source: Pick<BlockSource, 'log' | 'signal'>
}

/** After this many waits for one block a warning is logged, and each wait is twice as long as the one before. */
const fewWaits = 5
const longestWaitMs = 10_000

/** Nodes behind one load balancer lag by seconds: the first waits for a block are as long as those for a head. */
export function createBlockWait({ newHeads, settings, source: { log, signal } }: BlockWaitOptions): BlockWait {
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
