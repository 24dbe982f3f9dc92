import { PositionLostError, type Queue } from '@headrace/queue'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { Run } from './run.ts'

const readBytes = 256 << 10
/** What is asked for is there, but a leader that is new, or holds its answers back, may say nothing of it at first. */
const readWaitMs = 1000

export interface LoadOptions {
  readonly partition: number
  readonly from: bigint
  /** Not after the end of the partition. */
  readonly to: bigint
  readonly maxBytes: number
}

/**
 * Reads and renders the records of `from` up to `to`. Ends early once it holds `maxBytes`.
 *
 * @throws {PositionLostError} `from` has been removed, the partition ends before `to`, as it did not before, or the topic
 *   has been created again.
 */
export async function loadRun(
  queue: Queue,
  topic: ServedTopic,
  { partition, from, to, maxBytes }: LoadOptions,
): Promise<Run> {
  const records: RenderedRecord[] = []
  let byteLength = 0
  let offset = from
  while (offset < to) {
    const place = { topic: topic.name, topicId: topic.id, partition, offset }
    let read = await queue.read(place, { maxBytes: readBytes })
    if (read.next === offset) read = await queue.read(place, { maxBytes: readBytes, maxWaitMs: readWaitMs })
    for (const batch of read.batches)
      for (const record of batch.records()) {
        if (record.offset >= to) return { topic, partition, from, to, records, byteLength }
        if (byteLength >= maxBytes) return { topic, partition, from, to: record.offset, records, byteLength }
        const rendered = topic.render(record)
        records.push(rendered)
        byteLength += rendered.json.byteLength
      }
    if (read.next === offset) throw new PositionLostError(place, { earliest: offset, end: read.end })
    offset = read.next
  }
  return { topic, partition, from, to: offset < to ? offset : to, records, byteLength }
}
