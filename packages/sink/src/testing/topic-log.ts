import type { SinkBatch, SinkRecord, SinkTopic } from '../destination/destination.ts'

type Value = SinkRecord['value']

/** What a record of a test has. The other members follow from its place. */
export interface NewRecord {
  readonly value: Value
  /** Default 0. */
  readonly partition?: number
  /** Default: another one for each record. */
  readonly key?: string | null
  readonly error?: { readonly code: 'decode_failed' }
}

/** Makes the records of a topic, numbered as a queue does. */
export interface TopicLog {
  readonly topic: SinkTopic
  append(...records: readonly NewRecord[]): SinkRecord[]
  /** Reverts records, newest first. */
  revert(...records: readonly SinkRecord[]): SinkRecord[]
  /** With a cursor of its own, also without records. */
  batch(...records: readonly SinkRecord[]): SinkBatch
}

export interface TopicLogOptions {
  /** The records were written by another program. Default `false`. */
  readonly withoutSeq?: boolean
}

export function createTopicLog(topic: SinkTopic, { withoutSeq = false }: TopicLogOptions = {}): TopicLog {
  const next = new Map<number, number>()
  let unit = 0
  let places = 0
  // Opaque for destinations, and as long as that of a topic with some partitions.
  const cursor = () => Buffer.from(`${topic.topic}@${places++}${'.'.repeat(100)}`).toString('base64url')

  function place(partition: number) {
    const number = next.get(partition) ?? 0
    next.set(partition, number + 1)
    return {
      topic: topic.topic,
      partition,
      seq: withoutSeq ? null : `${number}`,
      unit: withoutSeq ? null : `${unit}`,
      // Offsets have gaps on Kafka.
      offset: `${number * 2 + 1}`,
      time: new Date(Date.UTC(2026, 0, 1) + unit * 1000).toISOString(),
      cursor: cursor(),
    }
  }

  return {
    topic,
    append(...records) {
      unit++
      return records.map(({ partition = 0, key, value, error }) => {
        const at = place(partition)
        return {
          ...at,
          op: 'append' as const,
          key: key === undefined ? `key ${partition} ${at.offset}` : key,
          value,
          ...(error && { error, raw: 'AAEC' }),
        }
      })
    },
    revert(...records) {
      unit++
      return records.toReversed().map(({ partition, seq, key, value }) => ({
        ...place(partition),
        op: 'revert' as const,
        reverts: seq!,
        key,
        value,
      }))
    },
    batch: (...records) => ({ topic: topic.topic, records, cursor: cursor() }),
  }
}

/** The batches that a reader gets from a cursor on, which may be that of a record. */
export function batchesAfter(batches: readonly SinkBatch[], cursor: string | undefined): SinkBatch[] {
  if (cursor === undefined) return [...batches]
  for (const [index, batch] of batches.entries()) {
    if (batch.cursor === cursor) return batches.slice(index + 1)
    const record = batch.records.findIndex((one) => one.cursor === cursor)
    if (record >= 0) return [{ ...batch, records: batch.records.slice(record + 1) }, ...batches.slice(index + 1)]
  }
  throw new Error(`The destination gave the cursor "${cursor}", which it has not got.`)
}
