import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import { type BlockId, fetchHeadOfEach } from '../head/head.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import { publishedAt } from './chain-position.ts'

export interface EndpointView {
  readonly endpoint: string
  /**
   * - `published`: it has the newest published block.
   * - `other`: it has another block instead, its head differs from the published block of that number, or its head is
   *   above a newest published block that it does not have.
   * - `behind`: its head is below, and does not contradict the published branch.
   */
  readonly branch: 'published' | 'other' | 'behind'
  /** The head of the endpoint. It is fetched only if endpoints differ, or one lacks the block. */
  readonly head: BlockId | undefined
  /**
   * Hash of its block with the newest published number. The parent of its next block takes precedence: an endpoint may
   * continue from another block than it returns.
   */
  readonly hash: string | undefined
  /** How long its head had been the same when it last answered. */
  readonly unchangedMs: number
}

/** Asks each endpoint for the newest published block and the next one. `undefined`: no answer. */
export async function viewEndpoints(
  rpc: Rpc,
  history: readonly EvmCheckpoint[],
  unchangedMs: HeadWatch,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, EndpointView | undefined>> {
  const newest = history[0]!
  const [headers, nexts] = await Promise.all([
    fetchHeaderOfEach(rpc, newest.number, signal),
    fetchHeaderOfEach(rpc, newest.number + 1, signal),
  ])
  // `null`: no such block. `undefined`: no answer.
  const hashes = [...headers].map(([endpoint, header]) => {
    const hash = nexts.get(endpoint)?.parentHash ?? (header ? header.hash : header)
    return { endpoint, hash }
  })
  const found = hashes.map(({ hash }) => hash).filter((hash) => hash !== undefined)
  const isOneSided = found.every((hash) => hash === newest.hash) || found.every((hash) => hash !== newest.hash)
  const heads = isOneSided && !found.includes(null) ? undefined : await fetchHeadOfEach(rpc, signal)
  const views = hashes.map(({ endpoint, hash }) => {
    const head = heads?.get(endpoint)
    const branch = branchOf(hash, head, history)
    const view = branch && { endpoint, branch, head, hash: hash ?? undefined }
    return [endpoint, view && { ...view, unchangedMs: head ? unchangedMs(endpoint, head) : 0 }] as const
  })
  return new Map(views)
}

function branchOf(
  hash: string | null | undefined,
  head: BlockId | undefined,
  history: readonly EvmCheckpoint[],
): EndpointView['branch'] | undefined {
  const newest = history[0]!
  if (typeof hash === 'string') return hash === newest.hash ? 'published' : 'other'
  if (hash === undefined || head === undefined) return undefined
  if (head.number > newest.number) return 'other'
  const published = publishedAt(history, head.number)
  return published && published.hash !== head.hash ? 'other' : 'behind'
}

/**
 * For how long the head of an endpoint has been this block, in ms. A lower head restarts the time too: the endpoint has
 * not stopped.
 */
type HeadWatch = (endpoint: string, head: BlockId) => number

export function createHeadWatch(): HeadWatch {
  const seen = new Map<string, { readonly head: BlockId; readonly since: number }>()
  return (endpoint, head) => {
    const now = performance.now()
    const before = seen.get(endpoint)
    if (before?.head.number === head.number && before.head.hash === head.hash) return now - before.since
    seen.set(endpoint, { head, since: now })
    return 0
  }
}
