import {
  createReorganisations,
  findHead,
  type PartitionPlace,
  type RevertedSeqs,
  readRecordHeaders,
} from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import type { OpenTopic } from './open-topic.ts'
import { readBackward } from './partition-records.ts'

export interface CanonicalView {
  /** The head of each partition. Records after it are shown as in the log. */
  readonly asOf: readonly PartitionPlace[]
  shows(record: QueueRecord): boolean
}

/** Without `asOf`, the heads are the ends of the topic as it was described. */
export async function openCanonicalView(
  queue: Queue,
  topic: OpenTopic,
  asOf?: readonly PartitionPlace[],
): Promise<CanonicalView> {
  const { name, partitions } = topic.description
  const head = asOf ?? (await Promise.all(partitions.map((_, partition) => headOf(queue, topic, partition))))
  // Only connectors revert records.
  if (topic.writerId === undefined) return { asOf: head, shows: () => true }
  const reorganisations = createReorganisations(queue, { writerId: topic.writerId })
  await reorganisations.catchUp()
  const reverted = partitions.map((_, partition): RevertedSeqs => reorganisations.of(name, partition))
  return {
    asOf: head,
    shows({ partition, offset, headers }) {
      const end = head[partition]!
      if (offset >= end.offset) return true
      const { seq } = readRecordHeaders(headers)
      return seq === undefined || reverted[partition]!.around(seq, end.seq) === undefined
    },
  }
}

async function headOf(queue: Queue, { description }: OpenTopic, partition: number): Promise<PartitionPlace> {
  const { earliest, end } = description.partitions[partition]!
  const range = { topic: description.name, topicId: description.id, partition, from: earliest, to: end }
  return findHead(end, readBackward(queue, range), ({ headers }) => readRecordHeaders(headers).seq ?? null)
}
