import { placeAfter } from '@headrace/catalog'
import { type RangeReader, readRange } from '@headrace/queue'
import type { Place, RenderedRecord, ServedTopic } from '../topics/served-topic.ts'

/** Every record of a partition between two offsets. All readers share it: do not modify it. */
export interface Run {
  readonly topic: ServedTopic
  readonly partition: number
  readonly from: bigint
  /** Exclusive. Offsets have gaps, so it may be above the last record's offset + 1. */
  readonly to: bigint
  readonly records: readonly RenderedRecord[]
  readonly byteLength: number
}

/** Existing offsets, `from` lower than `to`. */
export type HistoryRange = Pick<Run, 'partition' | 'from' | 'to'>

export interface HistoryReader {
  /**
   * Records from `from` on, up to `to` at most. A run without records is nearer to `to`.
   *
   * @throws {PositionLostError} `from` has been removed.
   */
  after(topic: ServedTopic, range: HistoryRange): Promise<Run>
  /** Records before `to`, down to `from` at most, in order of offset. */
  before(topic: ServedTopic, range: HistoryRange): Promise<Run>
}

/** From an offset on, with at most `maxBytes` of records but at least one record. */
export function sliceRun(run: Run, from: bigint, maxBytes: number = Number.POSITIVE_INFINITY): Run {
  if (from <= run.from && run.byteLength <= maxBytes) return run
  const first = firstAtOrAfter(run.records, from)
  let byteLength = 0
  let next = first
  for (; next < run.records.length; next++) {
    const bytes = run.records[next]!.json.byteLength
    if (next > first && byteLength + bytes > maxBytes) break
    byteLength += bytes
  }
  const records = run.records.slice(first, next)
  return { ...run, from, to: run.records[next]?.offset ?? run.to, records, byteLength }
}

export function trimRun(run: Run, to: bigint): Run {
  if (run.to <= to) return run
  return withRecords({ ...run, to }, run.records.slice(0, firstAtOrAfter(run.records, to)))
}

export function joinRuns(first: Run, second: Run): Run {
  return {
    ...first,
    to: second.to,
    records: [...first.records, ...second.records],
    byteLength: first.byteLength + second.byteLength,
  }
}

export function withRecords(run: Run, records: readonly RenderedRecord[]): Run {
  let byteLength = 0
  for (const { json } of records) byteLength += json.byteLength
  return { ...run, records, byteLength }
}

export function placeAfterRun(run: Run, place: Place): Place {
  const last = run.records.at(-1)
  return { offset: run.to, seq: last ? placeAfter(last.offset, last.seq).seq : place.seq }
}

function firstAtOrAfter(records: readonly RenderedRecord[], offset: bigint): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (records[middle]!.offset < offset) low = middle + 1
    else high = middle
  }
  return low
}

const readBytes = 256 << 10

/**
 * Ends early at `maxBytes`.
 *
 * @throws {PositionLostError} `from` has been removed, the log was truncated before `to`, or the topic was created
 *   again.
 */
export async function loadRun(
  queue: RangeReader,
  topic: ServedTopic,
  { partition, from, to }: Pick<Run, 'partition' | 'from' | 'to'>,
  maxBytes: number,
): Promise<Run> {
  const records: RenderedRecord[] = []
  let byteLength = 0
  const range = { topic: topic.name, topicId: topic.id, partition, from, to }
  for await (const batch of readRange(queue, range, { maxBytes: readBytes })) {
    await topic.prepare?.(batch.records())
    for (const record of batch.records()) {
      if (byteLength >= maxBytes) return { topic, partition, from, to: record.offset, records, byteLength }
      const rendered = topic.render(record)
      records.push(rendered)
      byteLength += rendered.json.byteLength
    }
  }
  return { topic, partition, from, to, records, byteLength }
}
