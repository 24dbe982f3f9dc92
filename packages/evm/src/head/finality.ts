import { checkHeader } from '../block/check-block.ts'
import type { Log } from '../log.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from '../source/block-source.ts'

/** The newest block that will not be taken back. */
export interface FinalBlock {
  readonly number: number
  /** Known where the node told of it. */
  readonly hash?: string
}

/** Tells which block is final. */
export interface Finality {
  /** The final block of a chain whose head is `head`, or `undefined` where none is, or none is known. */
  finalBlock(head: number, signal: AbortSignal): Promise<FinalBlock | undefined>
}

/**
 * By the `finalized` tag, or by depth. A node that has no finalized block, or does not know the tag, makes no block
 * final: a depth guessed for it could be wrong.
 */
export function createFinality(rpc: Rpc, rule: 'finalized' | number, log: Log): Finality {
  if (rule !== 'finalized') {
    return { finalBlock: async (head) => (head >= rule ? { number: head - rule } : undefined) }
  }
  let told = false
  return {
    async finalBlock(_head, signal) {
      const final = await fetchFinalized(rpc, signal)
      if (!final && !told) log.warn('the node tells of no finalized block: none is taken as final')
      told ||= !final
      return final
    },
  }
}

/**
 * The checkpoint to declare final together with the block of `checkpoint`: its own up to the final block, from there on
 * that of the final block, where it was published.
 */
export function finalCheckpoint(
  final: FinalBlock,
  checkpoint: EvmCheckpoint,
  history: readonly EvmCheckpoint[],
): EvmCheckpoint | undefined {
  if (checkpoint.number <= final.number) return checkpoint
  const newest = history[0]
  const published = newest && history[newest.number - final.number]
  if (published?.number !== final.number) return undefined
  return final.hash === undefined || final.hash === published.hash ? published : undefined
}

function fetchFinalized(rpc: Rpc, signal: AbortSignal): Promise<FinalBlock | undefined> {
  return rpc.call({
    method: 'eth_getBlockByNumber',
    params: ['finalized', false],
    read(answer) {
      if (answer === null) return undefined
      const { number, hash } = checkHeader(answer, 'finalized')
      return { number: toNumber(number), hash }
    },
    onError: () => undefined,
    signal,
  })
}
