import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import { fetchHead, fetchHeadOfEach, type Head } from '../head/head.ts'
import type { Log } from '../log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ChainPosition } from './chain-position.ts'
import { createEndpointWords } from './endpoint-words.ts'

export interface Look {
  readonly head: Head
  /** Whether no endpoint whose head lies high enough has a block that goes on from the position. */
  readonly isForked: boolean
}

/** Tells up to which head blocks can be read. */
export interface ReadableHead {
  /**
   * The head of the endpoint that is asked first or, while that one is not enough, the highest of those that have the
   * block to read next. Where none has it that tells of a high enough head, another head: it is not there yet.
   *
   * @param lowest The number from which on a head helps.
   * @param isStill Whether no head has helped for long.
   * @throws {BlockUnavailableError} all endpoints tell of a high enough head, and none has the block.
   */
  look(
    position: ChainPosition,
    options: { readonly lowest: number; readonly isStill: boolean; readonly signal: AbortSignal },
  ): Promise<Look>
  /** Says that the endpoint that is asked first has no block that goes on from what is published. */
  doubt(): void
  /** Whether all endpoints are asked, since the first one stays behind others or is on another branch. */
  readonly asksAll: boolean
}

export function createReadableHead(rpc: Rpc, log: Log): ReadableHead {
  const words = createEndpointWords<Head>()
  let asksAll = false

  async function lookAtAll({ next, previous }: ChainPosition, lowest: number, signal: AbortSignal): Promise<Look> {
    const said = words.hold('head', await fetchHeadOfEach(rpc, signal))
    const heads = said.flatMap(({ endpoint, said: head, isSilent }) => (head && !isSilent ? [{ endpoint, head }] : []))
    const first = heads[0]
    if (!first) return { head: await fetchHead(rpc, signal), isForked: false }
    const high = heads.filter(({ head }) => head.number >= lowest)
    if (high.length === 0) return { head: first.head, isForked: false }
    const headers = await fetchHeaderOfEach(rpc, next, signal)
    const having = high.filter(({ endpoint }) => headers.get(endpoint))
    const following = having.filter(({ endpoint }) => !previous || headers.get(endpoint)!.parentHash === previous.hash)
    const best = highest(following)
    if (!best && having.length > 0) {
      asksAll = true
      return { head: highest(having)!.head, isForked: true }
    }
    if (!best) {
      const low = said.find(({ said: head }) => !head || head.number < lowest)
      if (!low) await fetchHeader(rpc, next, signal)
      return { head: low?.said ?? first.head, isForked: false }
    }
    words.forget()
    const isBehind = best.head.number > first.head.number + 1
    const isElsewhere = having.includes(first) && !following.includes(first)
    if (isBehind && !asksAll) {
      const fields = { endpoint: first.endpoint, head: first.head.number, highest: best.head.number }
      log.warn(fields, 'the endpoint that is asked first stays behind others')
    }
    asksAll = isBehind || isElsewhere
    return { head: best.head, isForked: false }
  }

  return {
    async look(position, { lowest, isStill, signal }) {
      if (asksAll) return lookAtAll(position, lowest, signal)
      const head = await fetchHead(rpc, signal)
      if (head.number >= lowest || !isStill || rpc.health().length === 1) return { head, isForked: false }
      return lookAtAll(position, lowest, signal)
    },
    doubt() {
      asksAll = true
    },
    get asksAll() {
      return asksAll
    },
  }
}

interface HeadOfEndpoint {
  readonly endpoint: string
  readonly head: Head
}

function highest(heads: readonly HeadOfEndpoint[]): HeadOfEndpoint | undefined {
  return heads.toSorted((one, other) => other.head.number - one.head.number)[0]
}
