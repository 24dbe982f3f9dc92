import { RecordTooLargeError, UserError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import { BatchEncoder, encodedRecordSize } from '../../record-batch/encode.ts'
import type { Engine } from '../engine.ts'
import type { NewBatch } from '../storage/batch-table.ts'
import { anyKey, createKeyMarker, type KeyMarker } from '../storage/key-bits.ts'
import type { Partition } from '../storage/topics.ts'
import { createSpool, type Spool } from './spool.ts'

/** Limits of the embedded engine, in bytes. */
const limits = {
  /** Larger records are refused. */
  record: 16_777_216,
  /** Records that do not fit begin another batch. Bounds the cost of a random read from disk. */
  batch: 262_144,
  /** What a transaction holds in memory. More is written to a spool file. */
  buffer: 67_108_864,
} as const

/** The records of a transaction, encoded as batches. */
export interface RecordBuffer {
  readonly empty: boolean
  /**
   * Encodes a record into the batch of its partition.
   *
   * @throws {RecordTooLargeError}
   * @throws {UnknownTopicError}
   * @throws {UserError} `invalid_record`.
   */
  add(record: NewRecord): void
  /** Appends all batches and returns the partitions that grew. Must run in a write transaction. */
  writeAll(): Partition[]
  clear(): void
}

export function createRecordBuffer({ storage, topics, batches }: Engine): RecordBuffer {
  const open = new Map<string, OpenTopic>()
  const spare: BatchEncoder[] = []
  let full: FullBatch[] = []
  let fullBytes = 0
  let spool: Spool | undefined

  function openTopic(name: string): OpenTopic {
    const known = open.get(name)
    if (known) return known
    const { cleanup } = topics.topic(name)
    const opened: OpenTopic = { compact: cleanup === 'compact', batches: [] }
    open.set(name, opened)
    return opened
  }

  function openBatch({ compact, batches }: OpenTopic, topic: string, number: number): OpenBatch {
    const partition = topics.partition(topic, number)
    const batch = { partition, encoder: new BatchEncoder(), keys: compact ? createKeyMarker() : undefined }
    batches[number] = batch
    return batch
  }

  /** Moves a full batch out of the way. It keeps its encoder, which holds its bytes, unless it is written to the spool. */
  function setAside(batch: OpenBatch): void {
    const { partition, encoder, keys } = batch
    const finished = finish(batch)
    fullBytes += finished.bytes.length
    if (fullBytes > limits.buffer) {
      spool ??= createSpool(storage.directory)
      full.push({ ...finished, partition, bytes: spool.write(finished.bytes), encoder: undefined })
      encoder.reset()
    } else {
      full.push({ ...finished, partition, bytes: () => finished.bytes, encoder })
      batch.encoder = spare.pop() ?? new BatchEncoder(limits.batch)
    }
    keys?.clear()
  }

  function* openBatches(): Generator<OpenBatch, void, undefined> {
    for (const topic of open.values()) {
      for (const batch of topic.batches) if (batch !== undefined && batch.encoder.count > 0) yield batch
    }
  }

  return {
    get empty() {
      return full.length === 0 && openBatches().next().done === true
    },
    add(record) {
      const { topic, partition = 0 } = record
      const opened = openTopic(topic)
      const batch = opened.batches[partition] ?? openBatch(opened, topic, partition)
      if (opened.compact && record.key === null) throw keyMissing(topic)
      if (!batch.encoder.tryAppend(record, limits.batch)) {
        const size = encodedRecordSize(record)
        if (size > limits.record) throw new RecordTooLargeError(topic, size, limits.record)
        if (batch.encoder.count > 0) setAside(batch)
        batch.encoder.append(record)
      }
      if (record.key !== null) batch.keys?.add(record.key)
    },
    writeAll() {
      const grown = new Set<Partition>()
      for (const { partition, bytes, ...batch } of full) {
        batches.append(partition, { ...batch, bytes: bytes() })
        grown.add(partition)
      }
      for (const batch of openBatches()) {
        batches.append(batch.partition, finish(batch))
        grown.add(batch.partition)
      }
      return [...grown]
    },
    clear() {
      for (const batch of openBatches()) {
        // Release the memory of a large record.
        if (batch.encoder.byteLength > limits.batch) batch.encoder = new BatchEncoder()
        batch.encoder.reset()
        batch.keys?.clear()
      }
      for (const { encoder } of full) {
        if (encoder !== undefined && encoder.byteLength <= limits.batch && spare.length < spareEncoders) {
          encoder.reset()
          spare.push(encoder)
        }
      }
      full = []
      fullBytes = 0
      spool?.close()
      spool = undefined
    },
  }
}

/** Encoders kept for the next transaction, each with the memory of a full batch. */
const spareEncoders = 16

interface OpenTopic {
  readonly compact: boolean
  /** By number of the partition. */
  readonly batches: (OpenBatch | undefined)[]
}

/** The batch of a partition to which records are added. */
interface OpenBatch {
  readonly partition: Partition
  encoder: BatchEncoder
  /** Only in compacted topics: keys of others are not searched. */
  readonly keys: KeyMarker | undefined
}

/** A batch to which no more records are added. It precedes the open one of its partition. */
interface FullBatch extends Omit<NewBatch, 'bytes'> {
  readonly partition: Partition
  /** Holds the bytes, unless they are in the spool file. */
  readonly encoder: BatchEncoder | undefined
  bytes(): Uint8Array
}

function keyMissing(topic: string): UserError {
  const message = `A record of topic "${topic}" has no key: in a compacted topic every record needs one.`
  return new UserError('invalid_record', message)
}

function finish({ encoder, keys }: OpenBatch): NewBatch {
  const { count, maxTime } = encoder
  const keyBits = keys === undefined ? anyKey : { low: keys.low, high: keys.high }
  return { bytes: encoder.finish(), count, maxTime, keyBits }
}
