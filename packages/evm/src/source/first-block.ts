import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Log } from '../log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createEndpointWords, type Word } from './endpoint-words.ts'
import { createSideWarnings, type Sides } from './side-warnings.ts'

/**
 * Tells which block of a number is the chain's where there is no published one that it has to follow. All endpoints that
 * have one have to agree, or else a strict majority of them; the word of one that has fallen silent holds, see
 * `EndpointWords`. One that has not said yet which block it has is waited for, unless it could change nothing, or all
 * others agree on a block and one has another that goes on from it.
 */
export interface FirstBlock {
  /**
   * Its hash; `undefined` while that is not known.
   *
   * @param except Hash of a block that is to be taken back: who has it is not counted.
   */
  agreedHash(number: number, except: string | undefined, signal: AbortSignal): Promise<string | undefined>
}

export function createFirstBlock(rpc: Rpc, log: Log): FirstBlock {
  const words = createEndpointWords<RpcHeader | null>()
  const warnings = createSideWarnings(log)

  /** Of a single voter the word for a block is its word for the next one too. */
  async function hasChild(number: number, hash: string, voters: readonly string[], signal: AbortSignal) {
    const headers = await fetchHeaderOfEach(rpc, number + 1, signal)
    return [...headers].some(
      ([endpoint, header]) => header?.parentHash === hash && (voters.length > 1 || endpoint !== voters[0]),
    )
  }

  return {
    async agreedHash(number, except, signal) {
      const said = words.hold(`${number}`, await fetchHeaderOfEach(rpc, number, signal))
      const silent = said.filter(({ said }) => said === undefined).map(({ endpoint }) => endpoint)
      const sides = endpointsByHash(said, except)
      const hashes = Object.keys(sides)
      const voters = Object.values(sides).flat().length
      const agreed = hashes.find((hash) => sides[hash]!.length > voters / 2)
      if (agreed === undefined) {
        if (voters > 0) warnings.warn(sides, { block: number }, 'endpoints disagree on the first block: waiting')
        return undefined
      }
      const isCertain = sides[agreed]!.length > (voters + silent.length) / 2
      if (!isCertain && (hashes.length > 1 || !(await hasChild(number, agreed, sides[agreed]!, signal)))) {
        warnings.warn({ silent }, { block: number }, 'not all endpoints say which block is the first: waiting')
        return undefined
      }
      words.forget()
      warnings.forget()
      return agreed
    },
  }
}

function endpointsByHash(words: readonly Word<RpcHeader | null>[], except: string | undefined): Sides {
  const sides: Record<string, string[]> = {}
  for (const { endpoint, said } of words) {
    if (!said || said.hash === except) continue
    sides[said.hash] ??= []
    sides[said.hash]!.push(endpoint)
  }
  return sides
}
