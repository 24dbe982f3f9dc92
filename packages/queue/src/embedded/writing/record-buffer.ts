import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RecordTooLargeError, UserError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import { type Compression, leastCompressedBytes } from '../../record-batch/compression.ts'
import { BatchEncoder, encodedRecordSize } from '../../record-batch/encode.ts'
import type { Engine } from '../engine.ts'
import { fullBatchBytes, largestRecordBytes } from '../storage/batch-rows.ts'
import type { NewBatch } from '../storage/batch-table.ts'
import { toQueueError } from '../storage/sqlite-error.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** In bytes. */
const limits = {
  record: largestRecordBytes,
  batch: fullBatchBytes,
  /** What a transaction holds in memory. More is written to a spool file. */
  buffer: 67_108_864,
} as const

export interface RecordBuffer {
  readonly empty: boolean
  add(record: NewRecord): void
  /** Returns the partitions that grew. Must run in a write transaction. */
  writeAll(): Partition[]
  clear(): void
}

export function createRecordBuffer(
  { storage, topics, batches }: Engine,
  compressions: ReadonlyMap<string, Compression> = new Map(),
): RecordBuffer {
  const open = new Map<Partition, OpenBatch>()
  const spare: BatchEncoder[] = []
  let full: FullBatch[] = []
  let fullBytes = 0
  let spool: Spool | undefined

  function batchOf(partition: Partition): OpenBatch {
    const known = open.get(partition)
    if (known) return known
    const batch = { partition, encoder: new BatchEncoder() }
    open.set(partition, batch)
    return batch
  }

  function encode(batch: OpenBatch, record: NewRecord): void {
    if (batch.encoder.tryAppend(record, limits.batch)) return
    const size = encodedRecordSize(record)
    if (size > limits.record) throw new RecordTooLargeError(record.topic, size, limits.record)
    if (batch.encoder.count > 0) setAside(batch)
    batch.encoder.append(record)
  }

  function setAside(batch: OpenBatch): void {
    const { partition, encoder } = batch
    const finished = finishFull(batch)
    const bytes = store(finished.bytes)
    full.push({ ...finished, partition, bytes, encoder: spool ? undefined : encoder })
    if (spool) encoder.reset()
    else batch.encoder = spare.pop() ?? new BatchEncoder(limits.batch)
  }

  /** The batch is small, so its bytes are copied and its encoder is used again. */
  function setAsideRecord({ partition, encoder }: OpenBatch, { key, value }: NewRecord): void {
    const { bytes, ...finished } = finish(encoder)
    const record = { key: Uint8Array.from(key!), isTombstone: value === null }
    full.push({ ...finished, ...record, partition, bytes: store(bytes.slice()), encoder: undefined })
  }

  function finishFull({ partition, encoder }: OpenBatch): NewBatch {
    const isSmall = encoder.byteLength < leastCompressedBytes
    return finish(encoder, isSmall ? 'none' : compressions.get(partition.topic))
  }

  /** In memory, or in a file if that is full. Returns a function that reads the bytes back. */
  function store(bytes: Uint8Array): () => Uint8Array {
    fullBytes += bytes.length
    if (fullBytes > limits.buffer) spool ??= createSpool(dirname(storage.file))
    return spool ? spool.write(bytes) : () => bytes
  }

  function openBatches(): OpenBatch[] {
    return [...open.values()].filter(({ encoder }) => encoder.count > 0)
  }

  return {
    get empty() {
      return full.length === 0 && openBatches().length === 0
    },
    add(record) {
      const batch = batchOf(topics.partition(record.topic, record.partition ?? 0))
      if (batch.partition.cleanup === 'delete') return encode(batch, record)
      if (record.key === null) {
        const rule = 'in a compacted topic every record needs one'
        throw new UserError('invalid_record', `A record of topic "${record.topic}" has no key: ${rule}.`)
      }
      try {
        encode(batch, record)
        setAsideRecord(batch, record)
      } finally {
        reset(batch)
      }
    },
    writeAll() {
      const grown = new Set<Partition>()
      for (const { partition, bytes, ...batch } of full) {
        batches.append(partition, { ...batch, bytes: bytes() })
        grown.add(partition)
      }
      for (const { partition, encoder } of openBatches()) {
        batches.append(partition, finishFull({ partition, encoder }))
        grown.add(partition)
      }
      return [...grown]
    },
    clear() {
      for (const batch of openBatches()) reset(batch)
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

const spareEncoders = 16

interface OpenBatch {
  readonly partition: Partition
  encoder: BatchEncoder
}

interface FullBatch extends Omit<NewBatch, 'bytes'> {
  readonly partition: Partition
  /** Holds the bytes, unless they are a copy or in the spool. */
  readonly encoder: BatchEncoder | undefined
  bytes(): Uint8Array
}

function finish(encoder: BatchEncoder, compression: Compression = 'none'): NewBatch {
  const { count, maxTime } = encoder
  return { bytes: encoder.finish({ compression }), count, maxTime, key: null, isTombstone: false }
}

function reset(batch: OpenBatch): void {
  // Releases the memory of a large record.
  if (batch.encoder.byteLength > limits.batch) batch.encoder = new BatchEncoder()
  batch.encoder.reset()
}

interface Spool {
  /** Returns a function that reads the bytes back. */
  write(bytes: Uint8Array): () => Uint8Array
  close(): void
}

/** @throws {QueueUnavailableError} the disk is full. */
function createSpool(directory: string): Spool {
  const path = join(directory, `spool-${randomUUID()}`)
  const file = withQueueErrors(path, () => openSync(path, 'wx+', 0o600))
  // The open file remains usable without its name, and is removed when the process ends in any way.
  rmSync(path)
  let length = 0
  return {
    write(bytes) {
      const at = length
      withQueueErrors(path, () => {
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
      })
      length += bytes.length
      return () => readWhole(file, at, bytes.length)
    },
    close: () => closeSync(file),
  }
}

function withQueueErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toQueueError(error, path)
  }
}

function readWhole(file: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, done, length - done, at + done)
    if (read === 0) throw new Error('The spool file of the transaction is shorter than what was written to it.')
    done += read
  }
  return bytes
}
