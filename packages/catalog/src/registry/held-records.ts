import { type Queue, type TopicDescription, UnknownTopicError } from '@headrace/queue'
import { findRecord } from '../position/find-record.ts'

/** Whether a topic has or had records. False for a topic that is deleted during the call. */
export async function hasHeldRecords(queue: Queue, { name, partitions }: TopicDescription): Promise<boolean> {
  try {
    for (const [partition, { earliest, end }] of partitions.entries()) {
      if (end === 0n) continue
      if (earliest > 0n || (await findRecord(queue, { topic: name, partition, offset: earliest }))) return true
    }
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
  }
  return false
}
