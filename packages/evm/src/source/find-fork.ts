import { setTimeout as delay } from 'node:timers/promises'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import type { EndpointWords } from './endpoint-words.ts'

export interface ForkSearch {
  /** Published blocks, newest first, each the parent of the one before. */
  readonly history: readonly EvmCheckpoint[]
  /** Place in `history` of the first block that they may have. */
  readonly from: number
  /** Names of the endpoints that are on another branch. */
  readonly endpoints: readonly string[]
  /** What endpoints say of published numbers. */
  readonly words: EndpointWords<RpcHeader | null>
  readonly signal: AbortSignal
}

/** How often a number is asked for while one of the endpoints does not answer, and the pause after the first time. */
const mostAsked = 6
const firstPauseMs = 100

/**
 * Finds, by hash, the newest published block that one of some endpoints has. An endpoint that does not answer is asked
 * again: the search takes many requests, and would seldom get to its end where every second one fails.
 *
 * @returns its place in `history`, whose length where they have none. `undefined`: not all have answered.
 */
export function findFork(rpc: Rpc, search: ForkSearch): Promise<number | undefined> {
  const { history, from, endpoints, words, signal } = search
  return findFirst(from, history.length, async (index) => {
    const { number, hash } = history[index]!
    for (let asked = 1; ; asked++) {
      const said = words
        .hold(`${number}`, await fetchHeaderOfEach(rpc, number, signal))
        .filter(({ endpoint }) => endpoints.includes(endpoint))
        .map(({ said }) => said)
      if (said.some((header) => header?.hash === hash)) return true
      if (!said.includes(undefined)) return said.some((header) => header) ? false : undefined
      if (asked === mostAsked) return undefined
      await delay(firstPauseMs * 2 ** (asked - 1), undefined, { signal })
    }
  })
}

/**
 * The first index from `from` on for which a test holds that also holds for all after it; `length` where it holds for
 * none. Most reorganisations are shallow: it goes back in growing strides, then halves the last one. Ends with
 * `undefined` where the test cannot tell.
 */
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
