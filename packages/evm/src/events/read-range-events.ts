import { fetchInOrder } from '@headrace/sdk'
import { ContradictedBlockError } from '../errors.ts'
import { mostCalls } from '../rpc/endpoint-batches.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { CheckComplete, ReadBlock } from './check-complete.ts'
import type { EventHeader } from './event-header.ts'
import type { FetchHeaders } from './fetch-headers.ts'
import { createLogRanges, createPace, type FetchRange, type LogRange, type LogRanges } from './log-ranges.ts'
import { type BlockEvents, mostRejections } from './read-block-events.ts'

/** Reads consecutive blocks: their logs by range, and their headers in batches. */
export type RangeEvents = (
  from: number,
  last: number,
  signal: AbortSignal,
) => AsyncGenerator<ReadBlock, void, undefined>

export interface RangeEventsOptions {
  readonly rpc: Rpc
  readonly fetchHeaders: FetchHeaders
  readonly blockEvents: BlockEvents
  readonly check: CheckComplete
  /** Begins the requests for the logs of ranges, which are fetched in order. */
  createFetchRange(signal: AbortSignal): FetchRange
  /** Reads the logs of a block in another way. */
  readonly proven?: ((header: EventHeader, signal: AbortSignal) => Promise<ReadBlock>) | undefined
}

/** In bytes of memory, of blocks that were not yielded yet. */
const aheadBytes = 16 << 20
/** Of the headers of a batch as JSON, and of its blocks in memory. */
const [batchLength, batchBytes] = [1 << 20, 2 << 20]
/** Until the size of blocks is known. */
const firstBlocks = 10
/** What is kept of a header, and of a log without its data. */
const [headerBytes, logBytes] = [1000, 1000]

export function createRangeEvents(options: RangeEventsOptions): RangeEvents {
  const { rpc, fetchHeaders, blockEvents, check, createFetchRange, proven } = options
  const pace = createPace()
  let batch: number | undefined

  async function readBatch(from: number, last: number, ranges: LogRanges, signal: AbortSignal): Promise<ReadBlock[]> {
    const own = proven ? [] : ranges.between(from, last)
    const { headers, length } = await fetchHeaders(from, last, { signal })
    const blocks = await withLogs(headers, own, ranges, signal)
    const most = headers.length * Math.min(batchLength / length, batchBytes / bytesOf(blocks))
    batch = Math.max(1, Math.min(mostCalls, Math.floor(most)))
    return blocks
  }

  async function withLogs(
    headers: readonly EventHeader[],
    own: readonly LogRange[],
    ranges: LogRanges,
    signal: AbortSignal,
  ): Promise<ReadBlock[]> {
    if (proven) return Promise.all(headers.map((header) => proven(header, signal)))
    const parts = own.map((range) => {
      const ofRange = headers.filter(({ number }) => number >= range.from && number <= range.last)
      return completeBlocks(ofRange, range, ranges, signal)
    })
    return (await Promise.all(parts)).flat()
  }

  /** Fetches the logs again as long as some are missing. */
  async function completeBlocks(
    headers: readonly EventHeader[],
    range: LogRange,
    ranges: LogRanges,
    signal: AbortSignal,
  ): Promise<ReadBlock[]> {
    for (let rejections = 0; ; ) {
      const logs = await range.logs
      const blocks = headers.map((header) => ({ header, logs: logs.byBlock.get(header.number) ?? [] }))
      try {
        const { endpoint, end } = logs
        const origin = { endpoint, end, elsewhere: () => ranges.elsewhere(range, logs) }
        await check(blocks.filter(isOfOneBlock), origin, signal)
        return await Promise.all(
          blocks.map((block) => (isOfOneBlock(block) ? block : blockEvents.at(block.header.number, signal))),
        )
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ContradictedBlockError) || !logs.endpoint || ++rejections === mostRejections) throw error
        rpc.reject(logs.endpoint, error)
        if ((await range.logs) === logs) ranges.replace(range, logs)
      }
    }
  }

  return async function* (from, last, signal) {
    const ended = new AbortController()
    const ranges = createLogRanges(from, last, pace, createFetchRange(AbortSignal.any([signal, ended.signal])))
    const readBatches = (from: number, last: number, size: number) =>
      fetchInOrder({
        ...{ from: 0, to: Math.floor((last - from) / size), signal },
        fetch: (index, signal) => {
          const first = from + index * size
          return readBatch(first, Math.min(last, first + size - 1), ranges, signal)
        },
        width: () => rpc.width,
        maxBytes: aheadBytes,
        sizeOf: bytesOf,
      })
    try {
      for (let next = from; next <= last; ) {
        const to = batch === undefined ? Math.min(last, next + firstBlocks - 1) : last
        for await (const blocks of readBatches(next, to, batch ?? firstBlocks)) {
          yield* blocks
          ranges.release(blocks.at(-1)!.header.number)
        }
        next = to + 1
      }
    } finally {
      ended.abort()
    }
  }
}

/** Whether logs and header are of the same block. Nodes may differ, or the block was replaced between two answers. */
function isOfOneBlock({ header, logs }: ReadBlock): boolean {
  return logs.every(({ log }) => log.blockHash === header.hash)
}

function bytesOf(blocks: readonly ReadBlock[]): number {
  return blocks.reduce(
    (sum, { logs }) => logs.reduce((bytes, { log }) => bytes + logBytes + log.data.length, sum + headerBytes),
    0,
  )
}
