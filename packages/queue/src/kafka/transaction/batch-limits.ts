import { RecordTooLargeError, UnknownTopicError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import { encodedRecordSize } from '../../record-batch/encode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'

/**
 * A batch is full at so many bytes. A reader who wants a few records reads a whole batch, and 256 KiB are read from a
 * cold disk in a few milliseconds.
 */
export const fullBatchBytes: number = 256 * 1024

/** @throws {UnknownTopicError} */
export function knownTopic(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  const known = directory.get(topic)
  if (!known) throw new UnknownTopicError(topic)
  if (!Number.isInteger(partition) || partition < 0 || partition >= known.partitions) {
    throw new UnknownTopicError(topic, partition)
  }
  return known
}

/** @throws {RecordTooLargeError} a batch of it alone is larger than its topic takes. */
export function checkSize(record: NewRecord, maxBatchBytes: number): void {
  const alone = batchLayout.records + encodedRecordSize(record)
  if (alone > maxBatchBytes) throw new RecordTooLargeError(record.topic, alone, maxBatchBytes)
}
