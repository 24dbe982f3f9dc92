import { PositionLostError, type Queue, type QueueRecord } from '@headrace/queue'

/** Where the records to be read lie: from one offset up to, and without, another. */
export interface PartitionRange {
  readonly topic: string
  /** The id of the topic that the offsets were found in. */
  readonly topicId: string
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

/** Records of one partition, in lists that are not empty. */
type RecordLists = AsyncGenerator<readonly QueueRecord[], void, undefined>

/**
 * Reads a range, oldest first.
 *
 * @throws {PositionLostError} `from` has been removed, the partition ends before `to`, as it did not before, or the topic
 *   has been created again.
 */
export async function* readForward(queue: Queue, { topic, topicId, partition, from, to }: PartitionRange): RecordLists {
  let offset = from
  while (offset < to) {
    const place = { topic, topicId, partition, offset }
    let read = await queue.read(place, { maxBytes: readBytes })
    if (read.next === offset) read = await queue.read(place, { maxBytes: readBytes, maxWaitMs: readWaitMs })
    const { batches, next, end } = read
    for (const batch of batches) {
      const records = [...batch.records()]
      const inRange = batch.nextOffset <= to ? records : records.filter((record) => record.offset < to)
      if (inRange.length > 0) yield inRange
    }
    if (next === offset) throw new PositionLostError(place, { earliest: offset, end })
    offset = next
  }
}

/** Reads a range, newest first, one window of offsets at a time. */
export async function* readBackward(queue: Queue, range: PartitionRange): RecordLists {
  for (let to = range.to; to > range.from; to -= windowOffsets) {
    const from = to - windowOffsets > range.from ? to - windowOffsets : range.from
    const records: QueueRecord[] = []
    for await (const list of readForward(queue, { ...range, from, to })) for (const record of list) records.push(record)
    if (records.length > 0) yield records.reverse()
  }
}

const readBytes = 1 << 20
/** A broker may answer without what is there: it throttles, or leads the partition since a moment. */
const readWaitMs = 1000
const windowOffsets = 256n
