import { checkHeader } from '../block/check-block.ts'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcError } from '../errors.ts'
import type { Log } from '../log.ts'
import { toNumber } from '../quantity/quantity.ts'
import { overloadOf } from '../rpc/judge-failure.ts'
import { answerIfAny, type Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from '../source/block-source.ts'
import { publishedAt } from '../source/chain-position.ts'

/**
 * Final is the highest of `blocks` that was read with its hash, with all before it; or every block with `depth` blocks
 * above it.
 */
export type FinalRule = { readonly blocks: readonly NumberedHash[] } | { readonly depth: number }

export interface NumberedHash {
  readonly number: number
  readonly hash: string
}

export type Finality = (options: FinalOptions, signal: AbortSignal) => Promise<FinalRule>

export interface FinalOptions {
  readonly head: number
  readonly last: number
  /** Instead of the preferred endpoint. */
  readonly asksAll: boolean
  /** Published blocks, newest first. */
  readonly canonical: readonly EvmCheckpoint[]
}

/**
 * By the `finalized` tag, or by depth. A node without a finalized block makes none final. If the preferred endpoint has
 * no acceptable one, the highest of those of all endpoints is final, unless at least as many name a block that was not
 * published. A finalized block above the next stretch proves nothing by its number: then the last block of the stretch
 * is final, if all endpoints agree on it.
 */
export function createFinality(rpc: Rpc, rule: 'finalized' | number, log: Log): Finality {
  if (rule !== 'finalized') return async () => ({ depth: rule })
  let warned = false
  return async ({ head, last, asksAll, canonical }, signal) => {
    const first = asksAll ? undefined : await fetchFinalized(rpc, signal)
    const isPublished = ({ number, hash }: NumberedHash) => (publishedAt(canonical, number)?.hash ?? hash) === hash
    const isAccepted = (block: NumberedHash) => block.number <= head && isPublished(block)
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
  read(answer: unknown): NumberedHash | undefined {
    if (answer === null) return undefined
    const { number, hash } = checkHeader(answer, 'finalized')
    return { number: toNumber(number), hash }
  },
  onError(error: RpcError): undefined {
    if (overloadOf(error)) throw error
  },
}

/** Failures are ignored, because finality may be learnt later. */
function fetchFinalized(rpc: Rpc, signal: AbortSignal): Promise<NumberedHash | undefined> {
  return answerIfAny(rpc.call({ ...finalized, onceEach: true, signal }), signal)
}

async function fetchFinalizedOfEach(rpc: Rpc, signal: AbortSignal): Promise<readonly NumberedHash[]> {
  const replies = await rpc.callEach({ ...finalized, signal })
  return replies.flatMap((reply) => (reply.kind === 'answered' && reply.answer ? [reply.answer] : []))
}

/** The block that all endpoints with one agree on. */
async function fetchAgreed(rpc: Rpc, number: number, signal: AbortSignal): Promise<NumberedHash | undefined> {
  const headers = [...(await fetchHeaderOfEach(rpc, number, signal)).values()]
  const hashes = new Set(headers.flatMap((header) => (header ? [header.hash] : [])))
  const [hash] = hashes
  return hashes.size === 1 ? { number, hash: hash! } : undefined
}
