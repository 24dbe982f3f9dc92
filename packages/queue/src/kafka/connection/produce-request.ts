import { type API, createAPI, type Reader, Writer } from '@platformatic/kafka'
import type { TopicPartition } from '../../queue.ts'

export interface ProduceArguments {
  /** `null` for an idempotent producer without transactions. */
  readonly transactionalId: string | null
  readonly timeoutMs: number
  /** At most one per partition: the broker refuses a second one with INVALID_RECORD (87). */
  readonly batches: readonly ProducedBatch[]
}

export interface ProducedBatch extends TopicPartition {
  readonly bytes: Uint8Array
}

export interface ProduceAnswer {
  readonly partitions: readonly ProducedPartition[]
}

interface ProducedPartition extends TopicPartition {
  readonly errorCode: number
  readonly errorMessage: string | null
}

export type ProduceRequest = API<[ProduceArguments], ProduceAnswer>

function encode({ transactionalId, timeoutMs, batches }: ProduceArguments): Writer {
  const byTopic = Map.groupBy(batches, ({ topic }) => topic)
  return Writer.create()
    .appendString(transactionalId)
    .appendInt16(-1) // acks: all in-sync replicas
    .appendInt32(timeoutMs)
    .appendArray([...byTopic], (writer, [topic, ofTopic]) => {
      writer.appendString(topic).appendArray(ofTopic, (writer, { partition, bytes }) => {
        writer.appendInt32(partition).appendBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      })
    })
    .appendTaggedFields()
}

function decode(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): ProduceAnswer {
  const partitions: ProducedPartition[] = []
  reader.readArray((reader) => {
    const topic = reader.readString()
    reader.readArray((reader) => {
      const partition = reader.readInt32()
      const errorCode = reader.readInt16()
      reader.skip(24) // base_offset, log_append_time_ms, log_start_offset
      const recordErrors = reader.readArray((reader) => {
        reader.readInt32() // batch_index
        return reader.readNullableString()
      })
      const errorMessage = reader.readNullableString() ?? recordErrors[0] ?? null
      partitions.push({ topic, partition, errorCode, errorMessage })
    })
  })
  return { partitions }
}

/** Outside of transactions, or to partitions that were added to the transaction before. */
export const produceV9: ProduceRequest = createAPI(0, 9, encode, decode)

/** The leader adds the partition to the transaction (KIP-890). */
export const produceV12: ProduceRequest = createAPI(0, 12, encode, decode)
