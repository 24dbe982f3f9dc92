import type { CreatedContracts } from './created-contracts.ts'
import type { FetchLogs, LogsFrom } from './fetch-logs.ts'
import { creationFilter, type LogFactory, type LogFilter } from './log-filter.ts'
import { type LogQuery, toQueries } from './log-query.ts'
import type { FetchRange } from './log-ranges.ts'

export interface RangeFetchesOptions {
  readonly fetchLogs: FetchLogs
  readonly filters: readonly LogFilter[]
  readonly factories: readonly LogFactory[]
  /** Contracts that are found are added. */
  readonly known: CreatedContracts
  readonly signal: AbortSignal
}

/**
 * Fetches the logs of ranges. The events of created contracts are asked for when those of their factories are there for
 * this range and all ranges before, so that their addresses are known.
 */
export function createRangeFetches(options: RangeFetchesOptions): FetchRange {
  const { fetchLogs, filters, factories, known, signal } = options
  const first = toQueries(
    [...filters.filter(({ factory }) => factory === undefined), ...factories.map(creationFilter)],
    undefined,
  )
  const ofCreated = filters.filter(({ factory }) => factory !== undefined)
  let before: Promise<unknown> = Promise.resolve()

  return async (from, last, options) => {
    const request = (queries: readonly LogQuery[]) => fetchLogs.range(queries, from, last, { ...options, signal })
    if (ofCreated.length === 0) return request(first)
    const factoryLogs = request(first)
    const found = factoryLogs.then(({ logs }) => {
      for (const { log, block } of logs) known.add(log, block)
    })
    before = Promise.all([before, found])
    before.catch(() => {})
    await before
    const queries = toQueries(ofCreated, (factory) => known.of(factory, last))
    if (queries.length === 0) return factoryLogs
    return merge(await factoryLogs, await request(queries))
  }
}

/** A log that both have is kept once. */
function merge(one: LogsFrom, other: LogsFrom): LogsFrom {
  const places = new Set(one.logs.map(({ block, index }) => `${block} ${index}`))
  const added = other.logs.filter(({ block, index }) => !places.has(`${block} ${index}`))
  const logs = [...one.logs, ...added].sort((a, b) => a.block - b.block || a.index - b.index)
  return { ...other, logs, length: one.length + other.length, most: Math.min(one.most, other.most) }
}
