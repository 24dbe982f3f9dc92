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
 * What is final of blocks that are read: the highest of some blocks that was read and is the one with its hash, and all
 * before it, or every block on which so many others were read.
 */
export type FinalRule = { readonly blocks: readonly NumberedHash[] } | { readonly depth: number }

export interface NumberedHash {
  readonly number: number
  readonly hash: string
}

/** Tells what is final. */
export interface Finality {
  /** For blocks up to `last`; `undefined` where none is final, or it is not known. */
  finalRule(options: FinalOptions, signal: AbortSignal): Promise<FinalRule | undefined>
}

export interface FinalOptions {
  readonly head: number
  /** The last block that is read next, at or below the head. */
  readonly last: number
  /** Whether the endpoint that is asked first is not enough. */
  readonly asksAll: boolean
  /** Published blocks that are not to be taken back, newest first. */
  readonly standing: readonly EvmCheckpoint[]
}

/**
 * By the `finalized` tag, or by depth. A node that has no finalized block, does not know the tag, or gives no usable answer
 * makes no block final: a depth guessed for it could be wrong. Where the endpoint that is asked first names none that can be believed,
 * all are asked, and the highest of their blocks that was read counts, unless as many name another than was published.
 *
 * No number alone makes a block final. Where a finalized block lies above what is read next, the last block of that is
 * asked for at every endpoint, and stands for it if they agree.
 */
export function createFinality(rpc: Rpc, rule: 'finalized' | number, log: Log): Finality {
  if (rule !== 'finalized') return { finalRule: async () => ({ depth: rule }) }
  let told = false
  return {
    async finalRule({ head, last, asksAll, standing }, signal) {
      const first = asksAll ? undefined : await fetchFinalized(rpc, signal)
      const isPublished = ({ number, hash }: NumberedHash) => (publishedAt(standing, number)?.hash ?? hash) === hash
      const isBelieved = (block: NumberedHash) => block.number <= head && isPublished(block)
      const named = first && isBelieved(first) ? [first] : await fetchFinalizedOfEach(rpc, signal)
      if (named.length === 0 && !told) log.warn('the node tells of no finalized block: none is taken as final')
      told ||= named.length === 0
      const believed = named.filter(isBelieved)
      if (believed.length <= named.filter((block) => !isPublished(block)).length) return { blocks: [] }
      const blocks = believed.filter(({ number }) => number <= last)
      if (blocks.length === believed.length) return { blocks }
      const agreed = await fetchAgreed(rpc, last, signal)
      return { blocks: agreed ? [agreed, ...blocks] : blocks }
    },
  }
}

/** The checkpoint to declare final together with the block of `checkpoint`, if it was read as the rule says. */
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

/** From the first endpoint whose answer can be used. What is final may come later: it is not insisted on. */
function fetchFinalized(rpc: Rpc, signal: AbortSignal): Promise<NumberedHash | undefined> {
  return answerIfAny(rpc.call({ ...finalized, onceEach: true, signal }), signal)
}

async function fetchFinalizedOfEach(rpc: Rpc, signal: AbortSignal): Promise<readonly NumberedHash[]> {
  const replies = await rpc.callEach({ ...finalized, signal })
  return replies.flatMap((reply) => (reply.kind === 'answered' && reply.answer ? [reply.answer] : []))
}

/** The block of a number, if all endpoints that have one have the same. */
async function fetchAgreed(rpc: Rpc, number: number, signal: AbortSignal): Promise<NumberedHash | undefined> {
  const headers = [...(await fetchHeaderOfEach(rpc, number, signal)).values()]
  const hashes = new Set(headers.flatMap((header) => (header ? [header.hash] : [])))
  const [hash] = hashes
  return hashes.size === 1 ? { number, hash: hash! } : undefined
}
