import { fetchInOrder } from '@headrace/sdk'
import { fetchHeader } from '../block/fetch-block.ts'
import { BlockUnavailableError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource } from '../source/block-source.ts'
import { publishedAt } from '../source/chain-position.ts'
import type { PlacedLog } from './event-log.ts'
import type { FetchLogs } from './fetch-logs.ts'
import { creationFilter, type LogFactory } from './log-filter.ts'
import { toQueries } from './log-query.ts'

/**
 * The events with which factories have created contracts before a block, as far as they were not found already, or come
 * with the blocks themselves.
 *
 * @throws {BlockUnavailableError} the nodes do not have the published block before it.
 */
export type FindContracts = (before: number, signal: AbortSignal) => Promise<readonly PlacedLog[]>

export interface FindContractsOptions {
  readonly rpc: Rpc
  readonly fetchLogs: FetchLogs
  readonly factories: readonly LogFactory[]
  readonly source: BlockSource
}

/** Blocks of a request, before nodes refuse it. */
const windowBlocks = 10_000
const aheadLength = 8 << 20

export function createFindContracts(options: FindContractsOptions): FindContracts {
  const { rpc, fetchLogs, factories, source } = options
  const queries = toQueries(factories.map(creationFilter), undefined)
  let next = Math.min(...factories.map(({ start }) => start))

  return async (before, signal) => {
    if (next >= before) return []
    const found: PlacedLog[] = []
    const windows = fetchInOrder({
      ...{ from: 0, to: Math.floor((before - 1 - next) / windowBlocks), signal },
      fetch(index, signal) {
        const from = next + index * windowBlocks
        return fetchLogs.range(queries, from, Math.min(before - 1, from + windowBlocks - 1), { signal })
      },
      width: () => rpc.width,
      maxBytes: aheadLength,
      sizeOf: ({ length }) => length,
    })
    for await (const { logs } of windows) found.push(...logs)
    await checkBranch(found, before - 1, signal)
    next = Number.POSITIVE_INFINITY
    return found
  }

  /** Logs of a branch that is not published would add wrong contracts, and lack others. */
  async function checkBranch(logs: readonly PlacedLog[], number: number, signal: AbortSignal): Promise<void> {
    const published = (block: number) => publishedAt(source.history(), block)?.hash
    const hash = published(number)
    if (hash !== undefined && (await fetchHeader(rpc, number, signal)).hash !== hash)
      throw new BlockUnavailableError(hash)
    const foreign = logs.find(({ log, block }) => (published(block) ?? log.blockHash) !== log.blockHash)
    if (foreign) throw new BlockUnavailableError(published(foreign.block)!)
  }
}
