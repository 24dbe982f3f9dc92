import { type PartitionPlace, type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import { PositionLostError, type Queue, type QueueRecord, type ReadResult } from '@headrace/queue'
import { inputError, inputLost } from './input-errors.ts'

/** Bytes asked for at a time: with 64 partitions of several topics memory stays small. */
const readBytes = 256 * 1024
const maxWaitMs = 1000

/** A record of the input that has an `at` header. */
export interface NumberedRecord {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  readonly unit: number
  readonly seq: number
}

/** Reads the records of one partition one after the other, and sees to it that none is missing. */
export interface PartitionReader {
  readonly topic: string
  readonly partition: number
  /** The place after the records taken. */
  readonly place: PartitionPlace
  /** The next record, where it has been read. */
  peek(): NumberedRecord | undefined
  /** Takes the record that `peek` shows. */
  take(): NumberedRecord
  /** Reads until the next record is there, or the end of what can be read now. */
  look(): Promise<void>
  /** Reads until the next record is there, which is known to be committed. */
  readNext(): Promise<void>
  /** Goes on from the seq given: records before it are passed over. */
  startAt(seq: number): void
}

export interface PartitionReaderOptions {
  readonly queue: Queue
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly place: PartitionPlace
  readonly signal: AbortSignal
}

/** Its reading methods throw `input_lost`, and whatever the queue throws. */
export function createPartitionReader(options: PartitionReaderOptions): PartitionReader {
  const { queue, topic, topicId, partition, signal } = options
  let { place } = options
  let readOffset = place.offset
  /** Read and not taken, in order; those before `taken` are done with. */
  let records: NumberedRecord[] = []
  let taken = 0
  let expected = place.seq
  /** What lay before the place read from was removed. It may have been no record: the next one tells. */
  let removed: PositionLostError | undefined

  /** Resolves to whether there may be more to read at once. */
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
        : inputLost(topic, `record ${expected} of partition ${partition} is missing: the next one has seq ${seq}`)
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
    async look() {
      // Those that were read may all be before the seq to start at.
      while ((await read(0)) && records.length === 0);
    },
    async readNext() {
      let end: bigint | undefined
      while (taken === records.length) {
        if (removed) end ??= await queue.highWatermark(topic, partition)
        await read(maxWaitMs)
        // It is committed, and does not lie before the end: it has been removed.
        if (removed && end !== undefined && readOffset >= end) throw inputError(removed)
      }
    },
    startAt(seq) {
      place = { ...place, seq }
      expected ??= seq
    },
  }
}
