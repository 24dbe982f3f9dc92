import { type PartitionPlace, type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import { PositionLostError, type Queue, type QueueRecord, type ReadResult } from '@headrace/queue'
import { inputError, inputLost } from './input-errors.ts'

/** Keeps memory small with 64 partitions of several topics. */
const readBytes = 256 * 1024
const maxWaitMs = 1000

export interface NumberedRecord {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  readonly unit: number
  readonly seq: number
}

/** Checks that no record is missing. */
export interface PartitionReader {
  readonly topic: string
  readonly partition: number
  readonly place: PartitionPlace
  peek(): NumberedRecord | undefined
  take(): NumberedRecord
  readAvailable(): Promise<void>
  /** Waits for the next record, which must be committed. */
  readNext(): Promise<void>
  startAt(seq: number): void
}

export interface PartitionStart {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly place: PartitionPlace
}

export interface PartitionReaderOptions extends PartitionStart {
  readonly queue: Queue
  readonly signal: AbortSignal
}

/** Its reading methods throw `input_lost`, and the errors of the queue. */
export function createPartitionReader(options: PartitionReaderOptions): PartitionReader {
  const { queue, topic, topicId, partition, signal } = options
  let { place } = options
  let readOffset = place.offset
  let records: NumberedRecord[] = []
  let taken = 0
  let expected = place.seq
  /** Set where offsets before the read position were removed. They may have held no record: the next seq shows it. */
  let removed: PositionLostError | undefined

  async function read(waitMs: number): Promise<boolean> {
    const { batches, next, end } = await readAt(readOffset, waitMs)
    records = []
    taken = 0
    for (const batch of batches) for (const record of batch.records()) add(record)
    readOffset = next
    return next < end
  }

  async function readAt(offset: bigint, waitMs: number): Promise<ReadResult> {
    try {
      const at = { topic, topicId, partition, offset }
      return await queue.read(at, { maxBytes: readBytes, maxWaitMs: waitMs, signal })
    } catch (error) {
      if (expected === null || !(error instanceof PositionLostError && error.wasRemoved)) throw inputError(error)
      removed = error
      return readAt(error.earliest, waitMs)
    }
  }

  function add(record: QueueRecord): void {
    const headers = readRecordHeaders(record.headers)
    const { unit, seq } = headers
    if (unit === undefined || seq === undefined)
      throw inputLost(
        topic,
        `the record at offset ${record.offset} of partition ${partition} has no unit, though others have`,
      )
    if (expected !== null && seq < expected) return
    if (expected !== null && seq > expected)
      throw removed
        ? inputError(removed)
        : inputLost(topic, `seq ${expected} of partition ${partition} is missing: the next record has seq ${seq}`)
    removed = undefined
    expected = seq + 1
    records.push({ record, headers, unit, seq })
  }

  return {
    topic,
    partition,
    get place() {
      return place
    },
    peek: () => records[taken],
    take() {
      const entry = records[taken++]!
      place = { offset: entry.record.offset + 1n, seq: entry.seq + 1 }
      return entry
    },
    async readAvailable() {
      while ((await read(0)) && records.length === 0);
    },
    async readNext() {
      let end: bigint | undefined
      while (taken === records.length) {
        if (removed) end ??= await queue.highWatermark(topic, partition)
        await read(maxWaitMs)
        // The record is committed and not before the end, so it was removed.
        if (removed && end !== undefined && readOffset >= end) throw inputError(removed)
      }
    },
    startAt(seq) {
      place = { ...place, seq }
      expected ??= seq
    },
  }
}
