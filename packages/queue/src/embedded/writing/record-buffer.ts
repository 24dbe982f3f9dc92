import { RecordTooLargeError, UserError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import { type BatchEncoder, createBatchEncoder, encodedRecordSize } from '../../record-batch/encode.ts'
import type { Engine } from '../engine.ts'
import type { NewBatch } from '../storage/batch-table.ts'
import { anyKey, createKeyMarker, type KeyMarker } from '../storage/key-bits.ts'
import type { Partition } from '../storage/topics.ts'
import { embeddedLimits } from './limits.ts'
import { createSpool, type Spool } from './spool.ts'

/** Records that wait to be written, as batches. */
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
  /** Appends all to the queue and returns the partitions that grew. Within a write transaction. */
  writeAll(): Partition[]
  clear(): void
}

export function createRecordBuffer({ storage, topics, batches }: Engine): RecordBuffer {
  const open = new Map<string, OpenTopic>()
  const spare: BatchEncoder[] = []
  let cut: CutBatch[] = []
  let cutBytes = 0
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
    const batch = { partition, encoder: createBatchEncoder(), keys: compact ? createKeyMarker() : undefined }
    batches[number] = batch
    return batch
  }

  /** What is cut off stays where it was encoded; the batch goes on with another encoder. */
  function cutOff(batch: OpenBatch): void {
    const { partition, encoder, keys } = batch
    const finished = finish(batch)
    cutBytes += finished.bytes.length
    if (cutBytes > embeddedLimits.buffer) {
      spool ??= createSpool(storage.directory)
      cut.push({ ...finished, partition, bytes: spool.write(finished.bytes), encoder: undefined })
      encoder.reset()
    } else {
      cut.push({ ...finished, partition, bytes: () => finished.bytes, encoder })
      batch.encoder = spare.pop() ?? createBatchEncoder(embeddedLimits.batch)
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
      return cut.length === 0 && openBatches().next().done === true
    },
    add(record) {
      const { topic, partition = 0 } = record
      const opened = openTopic(topic)
      const batch = opened.batches[partition] ?? openBatch(opened, topic, partition)
      if (opened.compact && record.key === null) throw keyMissing(topic)
      if (!batch.encoder.tryAppend(record, embeddedLimits.batch)) {
        const size = encodedRecordSize(record)
        if (size > embeddedLimits.record) throw new RecordTooLargeError(topic, size, embeddedLimits.record)
        if (batch.encoder.count > 0) cutOff(batch)
        batch.encoder.append(record)
      }
      if (record.key !== null) batch.keys?.add(record.key)
    },
    writeAll() {
      const grown = new Set<Partition>()
      for (const { partition, bytes, ...batch } of cut) {
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
        // Memory that a large record took is given back.
        if (batch.encoder.byteLength > embeddedLimits.batch) batch.encoder = createBatchEncoder()
        batch.encoder.reset()
        batch.keys?.clear()
      }
      for (const { encoder } of cut) {
        if (encoder !== undefined && encoder.byteLength <= embeddedLimits.batch && spare.length < spareEncoders) {
          encoder.reset()
          spare.push(encoder)
        }
      }
      cut = []
      cutBytes = 0
      spool?.close()
      spool = undefined
    },
  }
}

/** Kept for the next transaction, each with the memory of a full batch. */
const spareEncoders = 16

interface OpenTopic {
  readonly compact: boolean
  /** By number of the partition, where there has been a record. */
  readonly batches: (OpenBatch | undefined)[]
}

/** The batch of a partition that records are added to. */
interface OpenBatch {
  readonly partition: Partition
  encoder: BatchEncoder
  /** Only in compacted topics: in others no key is looked for. */
  readonly keys: KeyMarker | undefined
}

/** A batch that was large enough. It goes before the open one of its partition. */
interface CutBatch extends Omit<NewBatch, 'bytes'> {
  readonly partition: Partition
  /** What holds the bytes, where they are not in the spool file. */
  readonly encoder: BatchEncoder | undefined
  bytes(): Uint8Array
}

function keyMissing(topic: string): UserError {
  return new UserError('invalid_record', `A record of topic "${topic}" has no key: compaction keeps records by key.`)
}

function finish({ encoder, keys }: OpenBatch): NewBatch {
  const { count, maxTime } = encoder
  const keyBits = keys === undefined ? anyKey : { low: keys.low, high: keys.high }
  return { bytes: encoder.finish(), count, maxTime, keyBits }
}
