import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { decodeBatches } from '../src/record-batch/decode.ts'
import { BatchEncoder } from '../src/record-batch/encode.ts'

// kafkajs does not export its codec.
const require = createRequire(import.meta.url)
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0')
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0')
const decodeRecordBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder')
const Decoder = require('kafkajs/src/protocol/decoder')

const records = [
  {
    key: Buffer.from('key'),
    value: Buffer.from('value'),
    headers: { at: Buffer.from([1, 2]) },
    time: 1_700_000_000_000,
  },
  { key: null, value: null, headers: {}, time: 1_700_000_000_500 },
  {
    key: Buffer.from(''),
    value: Buffer.alloc(70_000, 'x'),
    headers: { größe: Buffer.from('☃') },
    time: 1_600_000_000_000,
  },
]

describe('the codec compared with that of kafkajs', () => {
  it.each(['none', 'gzip'] as const)('writes batches that kafkajs reads, compressed with %s', async (compression) => {
    const encoder = new BatchEncoder()
    for (const { headers, ...record } of records) {
      encoder.append({ ...record, headers: Object.entries(headers).map(([key, value]) => ({ key, value })) })
    }
    const bytes = encoder.finish({ baseOffset: 5n, producerId: 12n, producerEpoch: 3, baseSequence: 1, compression })
    const batch = await decodeRecordBatch(new Decoder(Buffer.from(bytes)))
    expect(batch).toMatchObject({
      firstOffset: '5',
      producerId: '12',
      producerEpoch: 3,
      firstSequence: 1,
    })
    expect(batch.records).toMatchObject(
      records.map(({ key, value, headers, time }, index) => {
        return { key, value, headers, offset: `${5 + index}`, timestamp: `${time}` }
      }),
    )
  })

  it.each([0, 1])('reads batches of kafkajs, with compression %i', async (compression) => {
    const encoded = await RecordBatch({
      compression,
      firstTimestamp: records[0]!.time,
      maxTimestamp: records[1]!.time,
      producerId: 12n,
      lastOffsetDelta: records.length - 1,
      records: records.map(({ time, ...record }, offsetDelta) =>
        encodeRecord({ ...record, offsetDelta, timestampDelta: time - records[0]!.time }),
      ),
    })
    const [batch] = decodeBatches(encoded.buffer, { topic: 'data', partition: 0 })
    expect(batch).toMatchObject({ baseOffset: 0n, nextOffset: 3n, maxTime: records[1]!.time, producerId: 12n })
    expect(
      Array.from(batch!.records(), ({ key, value, headers, time }) => ({
        key: key && Buffer.from(key),
        value: value && Buffer.from(value),
        headers: Object.fromEntries(headers.map((header) => [header.key, Buffer.from(header.value)])),
        time,
      })),
    ).toEqual(records)
  })
})
