import type { RecordBatch } from '@headrace/queue'
import type { Run } from '../history/run.ts'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'

/** Bytes of records that go to a client in one piece. */
const runBytes = 64 << 10

/** Renders a batch that follows on an offset, in runs that lie one after the other. */
export function* renderRuns(topic: ServedTopic, batch: RecordBatch, start: bigint): Generator<Run> {
  const { partition } = batch
  let from = start
  let records: RenderedRecord[] = []
  let byteLength = 0
  for (const record of batch.records()) {
    if (byteLength > runBytes) {
      yield { topic, partition, from, to: record.offset, records, byteLength }
      from = record.offset
      records = []
      byteLength = 0
    }
    const rendered = topic.render(record)
    records.push(rendered)
    byteLength += rendered.json.byteLength
  }
  yield { topic, partition, from, to: batch.nextOffset, records, byteLength }
}
