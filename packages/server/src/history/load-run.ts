import type { Queue } from '@headrace/queue'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { Run } from './run.ts'

const readBytes = 256 << 10

/**
 * Reads and renders the records of `from` up to `to`, which must not lie after the end. Ends early once it holds
 * `maxBytes`.
 *
 * @throws {PositionLostError} `from` has been removed.
 */
export async function loadRun(
  queue: Queue,
  topic: ServedTopic,
  { from, to, maxBytes }: { from: bigint; to: bigint; maxBytes: number },
): Promise<Run> {
  const records: RenderedRecord[] = []
  let byteLength = 0
  let offset = from
  while (offset < to) {
    const read = await queue.read({ topic: topic.name, partition: 0, offset }, { maxBytes: readBytes })
    for (const batch of read.batches)
      for (const record of batch.records()) {
        if (record.offset >= to) return { topic, from, to, records, byteLength }
        if (byteLength >= maxBytes) return { topic, from, to: record.offset, records, byteLength }
        const rendered = topic.render(record)
        records.push(rendered)
        byteLength += rendered.json.byteLength
      }
    // Nothing visible up to here, and nothing more: the head is as far as anyone can read.
    if (read.next === offset) break
    offset = read.next
  }
  return { topic, from, to: offset < to ? offset : to, records, byteLength }
}
