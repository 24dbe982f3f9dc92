import { fetchInOrder } from '@headrace/sdk'
import { fetchHeader } from '../block/fetch-block.ts'
import { BlockUnavailableError } from '../errors.ts'
import { answerIfAny, type Rpc } from '../rpc/rpc.ts'
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
const aheadBytes = 8 << 20
/** Of a log in memory. */
const logBytes = 1000

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
        return fetchWindow(from, Math.min(before - 1, from + windowBlocks - 1), signal)
      },
      width: () => rpc.width,
      maxBytes: aheadBytes,
      sizeOf: (logs) => logs.length * logBytes,
    })
    for await (const logs of windows) found.push(...logs)
    await checkBranch(found, before - 1, signal)
    next = Number.POSITIVE_INFINITY
    return found
  }

  /** No header shows whether logs are missing, so those of two endpoints are joined if there are several. */
  async function fetchWindow(from: number, last: number, signal: AbortSignal): Promise<readonly PlacedLog[]> {
    const { logs, endpoint } = await fetchLogs.range(queries, from, last, { signal })
    if (rpc.health().length === 1) return logs
    const elsewhere = fetchLogs.range(queries, from, last, { avoid: endpoint, isElsewhere: true, signal })
    const other = await answerIfAny(elsewhere, signal)
    const places = new Set(logs.map(({ block, index }) => `${block} ${index}`))
    const added = other?.logs.filter((log) => !places.has(`${log.block} ${log.index}`) && isPublished(log)) ?? []
    return [...logs, ...added]
  }

  function publishedHash(block: number): string | undefined {
    return publishedAt(source.history(), block)?.hash
  }

  function isPublished({ log, block }: PlacedLog): boolean {
    return (publishedHash(block) ?? log.blockHash) === log.blockHash
  }

  /** Logs of a branch that is not published would add wrong contracts, and lack others. */
  async function checkBranch(logs: readonly PlacedLog[], number: number, signal: AbortSignal): Promise<void> {
    const hash = publishedHash(number)
    if (hash !== undefined && (await fetchHeader(rpc, number, signal)).hash !== hash)
      throw new BlockUnavailableError(hash)
    const foreign = logs.find((log) => !isPublished(log))
    if (foreign) throw new BlockUnavailableError(publishedHash(foreign.block)!)
  }
}
