import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Log } from './block-source.ts'
import { createEndpointAnswers, type RememberedAnswer } from './endpoint-answers.ts'
import { createSideWarnings, type Sides } from './side-warnings.ts'

/**
 * Decides which block is canonical if no block before it is published: the one that a strict majority of the endpoints
 * with a block has. A silent endpoint is awaited, unless it cannot change the result, or all others agree and one of
 * them has the successor.
 *
 * @param except Hash of a block that is to be reverted: endpoints with it do not count.
 * @returns its hash; `undefined` while it is unknown.
 */
export type FirstBlock = (
  number: number,
  except: string | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>

export function createFirstBlock(rpc: Rpc, log: Log): FirstBlock {
  const answers = createEndpointAnswers<RpcHeader | null>()
  const warnings = createSideWarnings(log)

  /** A single voter cannot confirm itself. */
  async function hasChild(number: number, hash: string, voters: readonly string[], signal: AbortSignal) {
    const headers = await fetchHeaderOfEach(rpc, number + 1, signal)
    return [...headers].some(
      ([endpoint, header]) => header?.parentHash === hash && (voters.length > 1 || endpoint !== voters[0]),
    )
  }

  return async (number, except, signal) => {
    const remembered = answers.update(`${number}`, await fetchHeaderOfEach(rpc, number, signal))
    const silent = remembered.filter(({ answer }) => answer === undefined).map(({ endpoint }) => endpoint)
    const sides = endpointsByHash(remembered, except)
    const hashes = Object.keys(sides)
    const voters = Object.values(sides).flat().length
    const agreed = hashes.find((hash) => sides[hash]!.length > voters / 2)
    if (agreed === undefined) {
      if (voters > 0) warnings.warn(sides, { block: number }, 'endpoints disagree on the first block: waiting')
      return undefined
    }
    const isCertain = sides[agreed]!.length > (voters + silent.length) / 2
    if (!isCertain && (hashes.length > 1 || !(await hasChild(number, agreed, sides[agreed]!, signal)))) {
      warnings.warn({ silent }, { block: number }, 'not all endpoints report which block is the first: waiting')
      return undefined
    }
    answers.clear()
    warnings.reset()
    return agreed
  }
}

function endpointsByHash(answers: readonly RememberedAnswer<RpcHeader | null>[], except: string | undefined): Sides {
  const votes = answers.filter(({ answer }) => answer && answer.hash !== except)
  const byHash = Map.groupBy(votes, ({ answer }) => answer!.hash)
  return Object.fromEntries([...byHash].map(([hash, voters]) => [hash, voters.map(({ endpoint }) => endpoint)]))
}
