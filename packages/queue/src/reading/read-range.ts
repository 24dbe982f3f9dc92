import { PositionLostError, QueueUnavailableError } from '../errors.ts'
import type { PartitionOffset, Queue, ReadLimits, ReadResult, TopicPartition } from '../queue.ts'
import type { RecordBatch } from '../record-batch/record-batch.ts'
import { startStopwatch } from '../stopwatch.ts'

export interface OffsetRange extends TopicPartition {
  /** `TopicDescription.id`. Default: the current topic of that name. */
  readonly topicId?: string
  readonly from: bigint
  /** At most the high watermark. */
  readonly to: bigint
}

export interface ReadRangeOptions {
  /** `desc` (default `asc`): the newest batch first, with its records in order of offset. */
  readonly order?: 'asc' | 'desc'
  /** Bytes of batches per request. Default 1 MiB. */
  readonly maxBytes?: number
  /** Offsets in the first window of `desc`. Default 256. */
  readonly firstWindow?: bigint
  readonly signal?: AbortSignal
  /** Called if records were removed: the earliest one is read next. Default: throws `PositionLostError`. */
  onRemoved?(lost: PositionLostError): void
}

export type RangeReader = Pick<Queue, 'read' | 'highWatermark'>

/**
 * Reads exactly the committed records of a range. `desc` holds one window in memory, which grows unless the records are
 * large.
 *
 * @throws {PositionLostError} records were removed (without `onRemoved`), the topic was created again, or the log was
 *   truncated and ends before `to`.
 * @throws {QueueUnavailableError} also if a transaction was open for 90 s.
 * @throws {UnknownTopicError}
 */
export async function* readRange(
  queue: RangeReader,
  range: OffsetRange,
  options: ReadRangeOptions = {},
): AsyncGenerator<RecordBatch, void, undefined> {
  if (options.order !== 'desc') return yield* readForward(queue, range, options)
  let window = options.firstWindow ?? defaultFirstWindow
  for (let { to } = range; to > range.from; ) {
    const from = to - window > range.from ? to - window : range.from
    const batches: RecordBatch[] = []
    let bytes = 0
    for await (const batch of readForward(queue, { ...range, from, to }, options)) {
      batches.push(batch)
      bytes += batch.byteLength
    }
    yield* batches.reverse()
    to = from
    window = bytes > largeWindowBytes ? window / 2n || 1n : window * 2n > widestWindow ? widestWindow : window * 2n
  }
}

const defaultMaxBytes = 1024 * 1024
const defaultFirstWindow = 256n
const widestWindow = 8192n
const largeWindowBytes = 2 * 1024 * 1024

async function* readForward(
  queue: RangeReader,
  { from, to, ...place }: OffsetRange,
  { maxBytes = defaultMaxBytes, signal, onRemoved }: ReadRangeOptions,
): AsyncGenerator<RecordBatch, void, undefined> {
  const limits = { maxBytes, ...(signal && { signal }) }
  for (let offset = from; offset < to; ) {
    try {
      const at = { ...place, offset }
      const answer = await queue.read(at, limits)
      const { batches, next } = answer.next > offset ? answer : await waitFor(queue, at, to, limits)
      for (const batch of batches) {
        const inside = truncateBatch(batch, to)
        if (inside) yield inside
      }
      offset = next
    } catch (error) {
      if (!onRemoved || !(error instanceof PositionLostError) || !error.wasRemoved) throw error
      onRemoved(error)
      offset = error.earliest
    }
  }
}

/** Waits for open transactions before `to`. */
async function waitFor(queue: RangeReader, at: PartitionOffset, to: bigint, limits: ReadLimits): Promise<ReadResult> {
  using stopwatch = startStopwatch()
  for (;;) {
    const highWatermark = await queue.highWatermark(at.topic, at.partition)
    if (highWatermark < to) throw new PositionLostError(at, { earliest: at.offset, end: highWatermark }, 'truncated')
    const answer = await queue.read(at, { ...limits, maxWaitMs: longestWaitMs })
    if (answer.next > at.offset) return answer
    if (stopwatch.elapsedMs <= patienceMs) continue
    const found = `"${at.topic}" partition ${at.partition} could be read only up to offset ${at.offset} of ${to}`
    const cause = `a transaction has been open for ${patienceMs / 1000} s`
    throw new QueueUnavailableError(`${found}: ${cause}. Its writer must end it.`)
  }
}

const longestWaitMs = 1_000
/** A transaction may take 60 s, and its end 15 s more. */
const patienceMs = 90_000

function truncateBatch(batch: RecordBatch, to: bigint): RecordBatch | undefined {
  if (batch.nextOffset <= to) return batch
  if (batch.baseOffset >= to) return undefined
  const { topic, partition, baseOffset, maxTime, byteLength } = batch
  return {
    ...{ topic, partition, baseOffset, maxTime, byteLength, nextOffset: to },
    *records(from) {
      for (const record of batch.records(from)) {
        if (record.offset >= to) return
        yield record
      }
    },
  }
}
