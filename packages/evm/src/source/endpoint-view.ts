import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import { fetchHeadOfEach, type Head } from '../head/head.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import { publishedAt } from './chain-position.ts'

/** What an endpoint says of the branch that was published. */
export interface EndpointView {
  readonly endpoint: string
  /**
   * - `published`: it has the newest published block.
   * - `other`: it has another block in its place, or its head is another block than the published one of that number, or
   *   lies above the newest published block, which it does not have.
   * - `behind`: its head lies below, and nothing speaks against its being of the published branch.
   */
  readonly branch: 'published' | 'other' | 'behind'
  /** Known where endpoints differ. */
  readonly head: Head | undefined
  /**
   * Hash of its block of the newest published number: what its next block names as its parent or, where it has none, what
   * it hands out. One that hands out a block and does not go on from it is not of that block's branch.
   */
  readonly hash: string | undefined
}

/**
 * Asks each endpoint for the newest published block, for the one after it and, where they differ, for its head.
 *
 * @returns what they say, in their order. `undefined`: it does not answer.
 */
export async function viewEndpoints(
  rpc: Rpc,
  history: readonly EvmCheckpoint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, EndpointView | undefined>> {
  const newest = history[0]!
  const hashes = await fetchHashes(rpc, newest.number, signal)
  const found = [...hashes.values()].filter((hash) => hash !== undefined)
  const isOneSided = found.every((hash) => hash === newest.hash) || found.every((hash) => hash !== newest.hash)
  const heads = isOneSided && !found.includes(null) ? undefined : await fetchHeadOfEach(rpc, signal)
  const views = [...hashes].map(([endpoint, hash]) => {
    const head = heads?.get(endpoint)
    const branch = branchOf(hash, head, history)
    return [endpoint, branch && { endpoint, branch, head, hash: hash ?? undefined }] as const
  })
  return new Map(views)
}

/** See `EndpointView.hash`; `null` where an endpoint has no such block, `undefined` where it does not answer. */
async function fetchHashes(
  rpc: Rpc,
  number: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null | undefined>> {
  const [headers, nexts] = await Promise.all([
    fetchHeaderOfEach(rpc, number, signal),
    fetchHeaderOfEach(rpc, number + 1, signal),
  ])
  return new Map(
    [...headers].map(([endpoint, header]) => [
      endpoint,
      nexts.get(endpoint)?.parentHash ?? (header ? header.hash : header),
    ]),
  )
}

function branchOf(
  hash: string | null | undefined,
  head: Head | undefined,
  history: readonly EvmCheckpoint[],
): EndpointView['branch'] | undefined {
  const newest = history[0]!
  if (typeof hash === 'string') return hash === newest.hash ? 'published' : 'other'
  if (hash === undefined || head === undefined) return undefined
  if (head.number > newest.number) return 'other'
  const published = publishedAt(history, head.number)
  return published && published.hash !== head.hash ? 'other' : 'behind'
}
