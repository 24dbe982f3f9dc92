import { checkHeader } from '../block/check-block.ts'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcError } from '../errors.ts'
import { overloadOf } from '../rpc/judge-failure.ts'
import { answerIfAny, type Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint, Log } from '../source/block-source.ts'
import { publishedAt } from '../source/chain-position.ts'
import { type BlockId, toBlockId } from './head.ts'

/**
 * With `blocks`, the highest of them that was read with its hash is final, and all before it. With `depth`, every block
 * with this number of blocks above it is final.
 */
export type FinalRule = { readonly blocks: readonly BlockId[] } | { readonly depth: number }

export type Finality = (options: FinalOptions, signal: AbortSignal) => Promise<FinalRule>

export interface FinalOptions {
  readonly head: number
  readonly last: number
  /** Whether all endpoints are asked, instead of only the preferred one. */
  readonly asksAll: boolean
  /** Published blocks, newest first. */
  readonly canonical: readonly EvmCheckpoint[]
}

/**
 * Finds final blocks by the `finalized` tag, or by depth. A node without a finalized block makes none final. If the
 * finalized block of the preferred endpoint is not acceptable, the highest acceptable one of all endpoints is final,
 * unless at least as many endpoints name a block that contradicts the published ones. A finalized block above the next
 * range proves nothing by its number: then the last block of the range is final, if all endpoints agree on it.
 */
export function createFinality(rpc: Rpc, rule: 'finalized' | number, log: Log): Finality {
  if (rule !== 'finalized') return async () => ({ depth: rule })
  let warned = false
  return async ({ head, last, asksAll, canonical }, signal) => {
    // Failures are ignored, because finality may be learnt later.
    const first = asksAll ? undefined : await answerIfAny(rpc.call({ ...finalized, onceEach: true, signal }), signal)
    const isPublished = ({ number, hash }: BlockId) => (publishedAt(canonical, number)?.hash ?? hash) === hash
    const isAccepted = (block: BlockId) => block.number <= head && isPublished(block)
    const named = first && isAccepted(first) ? [first] : await fetchFinalizedOfEach(rpc, signal)
    if (named.length === 0 && !warned) log.warn('the node reports no finalized block: no block is treated as final')
    warned ||= named.length === 0
    const accepted = named.filter(isAccepted)
    if (accepted.length <= named.filter((block) => !isPublished(block)).length) return { blocks: [] }
    const blocks = accepted.filter(({ number }) => number <= last)
    if (blocks.length === accepted.length) return { blocks }
    const agreed = await fetchAgreed(rpc, last, signal)
    return { blocks: agreed ? [agreed, ...blocks] : blocks }
  }
}

export function finalCheckpoint(
  rule: FinalRule,
  checkpoint: EvmCheckpoint,
  history: readonly EvmCheckpoint[],
): EvmCheckpoint | undefined {
  const read = (number: number) => (number === checkpoint.number ? checkpoint : publishedAt(history, number))
  if ('depth' in rule) return read(checkpoint.number - rule.depth)
  const blocks = rule.blocks.filter(({ number, hash }) => read(number)?.hash === hash)
  return blocks.length > 0 ? read(Math.max(...blocks.map(({ number }) => number))) : undefined
}

const finalized = {
  method: 'eth_getBlockByNumber',
  params: ['finalized', false],
  read: (answer: unknown) => (answer === null ? undefined : toBlockId(checkHeader(answer, 'finalized'))),
  onError(error: RpcError): undefined {
    if (overloadOf(error)) throw error
  },
}

async function fetchFinalizedOfEach(rpc: Rpc, signal: AbortSignal): Promise<readonly BlockId[]> {
  const replies = await rpc.callEach({ ...finalized, signal })
  return replies.flatMap((reply) => (reply.kind === 'answered' && reply.answer ? [reply.answer] : []))
}

/** The block with this number, if all endpoints that have one agree on its hash. */
async function fetchAgreed(rpc: Rpc, number: number, signal: AbortSignal): Promise<BlockId | undefined> {
  const headers = [...(await fetchHeaderOfEach(rpc, number, signal)).values()]
  const hashes = new Set(headers.flatMap((header) => (header ? [header.hash] : [])))
  const [hash] = hashes
  return hashes.size === 1 ? { number, hash: hash! } : undefined
}
