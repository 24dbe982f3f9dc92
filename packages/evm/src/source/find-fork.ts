import { setTimeout as delay } from 'node:timers/promises'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import type { EndpointAnswers } from './endpoint-answers.ts'

export interface ForkSearch {
  readonly history: readonly EvmCheckpoint[]
  /** The first index in `history` that the endpoints may have. */
  readonly from: number
  readonly endpoints: readonly string[]
  readonly answers: EndpointAnswers<RpcHeader | null>
  readonly signal: AbortSignal
}

const mostAttempts = 6
const firstPauseMs = 100

/**
 * Finds, by hash, the newest published block that one of the endpoints has: its index in `history`, or the length of
 * `history`. `undefined`: not all endpoints have answered.
 */
export function findFork(rpc: Rpc, search: ForkSearch): Promise<number | undefined> {
  const { history, from, endpoints, answers, signal } = search
  return findFirst(from, history.length, async (index) => {
    const { number, hash } = history[index]!
    for (let attempt = 1; ; attempt++) {
      const headers = answers
        .update(`${number}`, await fetchHeaderOfEach(rpc, number, signal))
        .filter(({ endpoint }) => endpoints.includes(endpoint))
        .map(({ answer }) => answer)
      if (headers.some((header) => header?.hash === hash)) return true
      if (!headers.includes(undefined)) return headers.some((header) => header) ? false : undefined
      if (attempt === mostAttempts) return undefined
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal })
    }
  })
}

/** `length` if none passes. Steps grow, because most reorganisations are shallow, and the last one is bisected. */
async function findFirst(
  from: number,
  length: number,
  test: (index: number) => Promise<boolean | undefined>,
): Promise<number | undefined> {
  let low = from
  let high = from
  for (let stride = 1; high < length; stride *= 2) {
    const holds = await test(high)
    if (holds === undefined) return undefined
    if (holds) break
    low = high + 1
    high = Math.min(high + stride, Math.max(length - 1, low))
  }
  while (low < high && high < length) {
    const middle = (low + high) >> 1
    const holds = await test(middle)
    if (holds === undefined) return undefined
    if (holds) high = middle
    else low = middle + 1
  }
  return Math.min(high, length)
}
