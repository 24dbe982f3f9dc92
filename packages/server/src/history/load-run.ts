import { PositionLostError, type Queue } from '@headrace/queue'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { Run } from './run.ts'

const readBytes = 256 << 10
/** Nobody waits as long: what is asked for is there. */
const readWaitMs = 1000

/**
 * Reads and renders the records of `from` up to `to`, which must not lie after the end. Ends early once it holds
 * `maxBytes`.
 *
 * @throws {PositionLostError} `from` has been removed, or the topic ends before `to`, as it did not before.
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
    const place = { topic: topic.name, partition: 0, offset }
    const read = await queue.read(place, { maxBytes: readBytes, maxWaitMs: readWaitMs })
    for (const batch of read.batches)
      for (const record of batch.records()) {
        if (record.offset >= to) return { topic, from, to, records, byteLength }
        if (byteLength >= maxBytes) return { topic, from, to: record.offset, records, byteLength }
        const rendered = topic.render(record)
        records.push(rendered)
        byteLength += rendered.json.byteLength
      }
    if (read.next === offset) throw new PositionLostError(place, { earliest: offset, end: read.end })
    offset = read.next
  }
  return { topic, from, to: offset < to ? offset : to, records, byteLength }
}
