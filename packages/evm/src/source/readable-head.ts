import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import { fetchHead, fetchHeadOfEach, type Head } from '../head/head.ts'
import type { Log } from '../log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ChainPosition } from './chain-position.ts'
import { createEndpointAnswers } from './endpoint-answers.ts'

export interface ReadHead {
  readonly head: Head
  /** Endpoints have a next block, but none continues from the position. */
  readonly isForked: boolean
}

interface HeadOptions {
  readonly lowest: number
  /** Whether there has been no high enough head for long. */
  readonly isStalled: boolean
  readonly signal: AbortSignal
}

export interface ReadableHead {
  /**
   * The head of the preferred endpoint or, if that is below `lowest`, the highest head of endpoints that have the next
   * block. If none has it, any head.
   * @throws {BlockUnavailableError} the heads of all endpoints are high enough, and none has the block.
   */
  fetch(position: ChainPosition, options: HeadOptions): Promise<ReadHead>
  /** To be called if the preferred endpoint has no block that continues. */
  askAll(): void
  /** While the preferred endpoint is behind or on another branch. */
  readonly asksAll: boolean
}

export function createReadableHead(rpc: Rpc, log: Log): ReadableHead {
  const answers = createEndpointAnswers<Head>()
  let asksAll = false

  async function fetchFromAll({ next, previous }: ChainPosition, { lowest, signal }: HeadOptions): Promise<ReadHead> {
    const remembered = answers.update('head', await fetchHeadOfEach(rpc, signal))
    const heads = remembered.flatMap(({ endpoint, answer: head, isSilent }) =>
      head && !isSilent ? [{ endpoint, head }] : [],
    )
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
      const low = remembered.find(({ answer: head }) => !head || head.number < lowest)
      if (!low) await fetchHeader(rpc, next, signal)
      return { head: low?.answer ?? first.head, isForked: false }
    }
    answers.clear()
    const isBehind = best.head.number > first.head.number + 1
    const isElsewhere = having.includes(first) && !following.includes(first)
    if (isBehind && !asksAll) {
      const fields = { endpoint: first.endpoint, head: first.head.number, highest: best.head.number }
      log.warn(fields, 'the preferred endpoint is behind others')
    }
    asksAll = isBehind || isElsewhere
    return { head: best.head, isForked: false }
  }

  return {
    async fetch(position, options) {
      const { lowest, isStalled, signal } = options
      if (asksAll) return fetchFromAll(position, options)
      const head = await fetchHead(rpc, signal)
      if (head.number >= lowest || !isStalled || rpc.health().length === 1) return { head, isForked: false }
      return fetchFromAll(position, options)
    },
    askAll() {
      asksAll = true
    },
    get asksAll() {
      return asksAll
    },
  }
}

function highest<T extends { readonly head: Head }>(heads: readonly T[]): T | undefined {
  return heads.toSorted((one, other) => other.head.number - one.head.number)[0]
}
