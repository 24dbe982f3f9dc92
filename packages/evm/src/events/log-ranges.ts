import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { PlacedLog } from './event-log.ts'
import type { FetchOptions, LogsFrom } from './fetch-logs.ts'

/** The logs of consecutive blocks. */
export interface LogRange {
  readonly from: number
  readonly last: number
  logs: Promise<RangeLogs>
  /** The same at another endpoint, if they were compared. */
  elsewhere?: Promise<RangeLogs>
}

export interface RangeLogs {
  readonly byBlock: ReadonlyMap<number, readonly PlacedLog[]>
  /** The last block with logs, if blocks without follow. */
  readonly end: number | undefined
  /** `undefined`: nothing was asked for. */
  readonly endpoint: RpcEndpoint | undefined
}

export interface LogRanges {
  /** The ranges with these blocks. Ranges up to the last block are fetched, each once. Call it in the order of blocks. */
  between(from: number, last: number): readonly LogRange[]
  /** Fetches a range again, elsewhere if possible. */
  replace(range: LogRange, rejected: RangeLogs): void
  /**
   * The logs of a range at another endpoint. They are fetched once.
   * @throws {RetryableError} no other one answers.
   */
  elsewhere(range: LogRange, first: RangeLogs): Promise<RangeLogs>
  /** Forgets the ranges that end with a block or before. */
  release(block: number): void
}

/** How many blocks a range has: more while answers are small. It is kept from one set of ranges to the next. */
export interface RangePace {
  blocks: number
}

export type FetchRange = (
  from: number,
  last: number,
  options: Pick<FetchOptions, 'avoid' | 'isElsewhere'>,
) => Promise<LogsFrom | undefined>

/** Of an answer, in bytes. */
const [smallLength, largeLength] = [512 << 10, 2 << 20]
const growth = 4

export function createPace(): RangePace {
  return { blocks: 100 }
}

/** Ranges of the blocks `from` to `last`. A failure is that of each later range as well. */
export function createLogRanges(from: number, last: number, pace: RangePace, fetch: FetchRange): LogRanges {
  const ranges: LogRange[] = []
  let next = from

  async function fetchRange(...[from, to, options]: Parameters<FetchRange>): Promise<RangeLogs> {
    const fetched = await fetch(from, to, options)
    if (!fetched) return { byBlock: new Map(), end: undefined, endpoint: undefined }
    adapt(pace, to - from + 1, fetched)
    const { logs, endpoint } = fetched
    const end = logs.at(-1)?.block
    return { byBlock: Map.groupBy(logs, ({ block }) => block), end: end === to ? undefined : end, endpoint }
  }

  function plan(): void {
    const [from, to] = [next, Math.min(last, next + Math.max(1, Math.floor(pace.blocks)) - 1)]
    next = to + 1
    const range = { from, last: to, logs: fetchRange(from, to, {}) }
    // The caller that needs the range gets the error.
    range.logs.catch(() => {})
    ranges.push(range)
  }

  return {
    between(from, last) {
      while (next <= last) plan()
      return ranges.filter((range) => range.from <= last && range.last >= from)
    },
    replace(range, { endpoint }) {
      delete range.elsewhere
      range.logs = fetchRange(range.from, range.last, { avoid: endpoint })
      range.logs.catch(() => {})
    },
    elsewhere(range, { endpoint }) {
      range.elsewhere ??= fetchRange(range.from, range.last, { avoid: endpoint, isElsewhere: true })
      return range.elsewhere
    },
    release(block) {
      while (ranges[0] && ranges[0].last <= block) ranges.shift()
    },
  }
}

function adapt(pace: RangePace, blocks: number, { length, most }: LogsFrom): void {
  if (length > largeLength) pace.blocks = Math.min(pace.blocks, (blocks * largeLength) / 2 / length)
  else if (length < smallLength && blocks >= Math.floor(pace.blocks)) pace.blocks *= growth
  pace.blocks = Math.min(Math.max(1, pace.blocks), mostBlocks, most)
}

/** Ranges end where the head is asked for again. */
const mostBlocks = 10_000
