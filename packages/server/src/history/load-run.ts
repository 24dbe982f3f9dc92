import { type RangeReader, readRange } from '@headrace/queue'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { Run } from './run.ts'

const readBytes = 256 << 10

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
  queue: RangeReader,
  topic: ServedTopic,
  { partition, from, to, maxBytes }: LoadOptions,
): Promise<Run> {
  const records: RenderedRecord[] = []
  let byteLength = 0
  const range = { topic: topic.name, topicId: topic.id, partition, from, to }
  for await (const batch of readRange(queue, range, { maxBytes: readBytes }))
    for (const record of batch.records()) {
      if (byteLength >= maxBytes) return { topic, partition, from, to: record.offset, records, byteLength }
      const rendered = topic.render(record)
      records.push(rendered)
      byteLength += rendered.json.byteLength
    }
  return { topic, partition, from, to, records, byteLength }
}
