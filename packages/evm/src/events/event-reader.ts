import { fetchInOrder } from '@headrace/sdk'
import type { RpcHeader } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource } from '../source/block-source.ts'
import type { ChainUnit, UnitReader } from '../source/read-chain.ts'
import { headerHash } from '../verify/verify-roots.ts'
import { createBlockReceipts } from './block-receipts.ts'
import { createCheckComplete, type ReadBlock } from './check-complete.ts'
import { createCreatedContracts } from './created-contracts.ts'
import type { EventHeader } from './event-header.ts'
import type { EventLog } from './event-log.ts'
import { createFetchHeaders } from './fetch-headers.ts'
import { createFetchLogs } from './fetch-logs.ts'
import { createFindContracts } from './find-contracts.ts'
import { creationFilter, type LogFilters } from './log-filter.ts'
import { toQueries } from './log-query.ts'
import { createMissingLogs } from './missing-logs.ts'
import { createRangeFetches } from './range-fetches.ts'
import { createBlockEvents } from './read-block-events.ts'
import { createRangeEvents } from './read-range-events.ts'
import { createSelectLogs } from './select-logs.ts'

/** A block and its selected logs, in order. */
export interface EventUnit extends ChainUnit {
  readonly number: number
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly logs: readonly EventLog[]
}

export interface EventReaderOptions {
  readonly rpc: Rpc
  readonly filters: LogFilters
  readonly verify: 'links' | 'sample' | 'roots'
  readonly source: BlockSource
}

/** In characters. */
const aheadLength = 8 << 20

export function createEventReader(options: EventReaderOptions): UnitReader<EventUnit> {
  const { rpc, verify, source } = options
  const { filters, factories } = options.filters
  /** Those of published blocks, and those of blocks that were fetched as well: it decides what is asked for. */
  const [created, known] = [createCreatedContracts(factories), createCreatedContracts(factories)]
  const all = [...filters, ...factories.map(creationFilter)]
  const select = createSelectLogs(filters, created)
  const missing = createMissingLogs(all, known)
  const fetchHeaders = createFetchHeaders(rpc, verify === 'roots' ? checkHash : () => {})
  const fetchLogs = createFetchLogs(rpc)
  const receipts = createBlockReceipts(rpc, verify === 'roots')
  const queries = toQueries(all, undefined)
  const check = createCheckComplete({
    ...{ rpc, log: source.log, fetchLogs, receipts, missing, queries },
    select: createSelectLogs(all, known),
    samples: verify === 'sample',
  })
  const proven = verify === 'roots' ? readProven : undefined
  const shared = { rpc, fetchHeaders, fetchLogs, check, queries, proven }
  const blockEvents = createBlockEvents(shared)
  const rangeEvents = createRangeEvents({
    ...shared,
    blockEvents,
    createFetchRange: (signal) => createRangeFetches({ fetchLogs, filters, factories, known, signal }),
  })
  const findContracts = createFindContracts({ rpc, fetchLogs, factories, source })
  /** Whether a contract was found that the logs of ranges under way are not of. */
  let isOutdated = false

  async function readProven(header: EventHeader, signal: AbortSignal): Promise<ReadBlock> {
    return { header, logs: missing.mayHaveLogs(header) ? await receipts.logs(header, signal) : [] }
  }

  /** Call it in the order of blocks. */
  function toUnit({ header, logs: found }: ReadBlock): EventUnit {
    const { number, hash, parentHash, timestamp } = header
    const logs = found.map(({ log }) => log)
    created.removeFrom(number)
    for (const log of logs) {
      if (!created.add(log, number)) continue
      if (known.add(log, number)) isOutdated = true
    }
    return { number, hash, parentHash, timestamp, logs: select(logs, number) }
  }

  return {
    async *range({ from, last, newFrom }, signal) {
      for (const { log, block } of await findContracts(from, signal)) {
        created.add(log, block)
        known.add(log, block)
      }
      isOutdated = false
      if (from < newFrom)
        for await (const block of rangeEvents(from, Math.min(last, newFrom - 1), signal)) {
          yield toUnit(block)
          if (isOutdated) return
        }
      const newBlocks = fetchInOrder({
        ...{ from: Math.max(from, newFrom), to: last, signal },
        fetch: blockEvents.at,
        width: () => rpc.width,
        maxBytes: aheadLength,
        sizeOf: ({ logs }: ReadBlock) => logs.reduce((sum, { log }) => sum + log.data.length, 0),
      })
      for await (const block of newBlocks) yield toUnit(block)
    },
    async find(number, identity, signal) {
      const found = await blockEvents.find(number, identity, signal)
      return found && toUnit(found)
    },
    close() {},
  }
}

function checkHash(header: RpcHeader): void {
  if (headerHash(header) === header.hash) return
  throw new InvalidAnswerError(
    `block ${Number(header.number)}`,
    'its hash is not that of its header. If the chain computes headers in its own way, set "verify" to "links"',
  )
}
