import { type CursorTopic, decodeCursor, type NextSeqs } from '@headrace/catalog'
import type { QueueCheckpoint } from './queue-input.ts'
import type { InputUnit } from './unit-stream.ts'

/**
 * The checkpoint to revert to because of what a unit of the input takes back: the newest one that lies before the first
 * record taken back. `null`: there is none, so all goes. `undefined`: nothing that was published is taken back.
 */
export function revertTarget(
  { records }: InputUnit,
  history: readonly QueueCheckpoint[],
): QueueCheckpoint | null | undefined {
  const firstTaken = new Map<string, Map<number, number>>()
  for (const { record, headers } of records) {
    if (headers.reverts === undefined) continue
    const partitions = firstTaken.get(record.topic) ?? new Map<number, number>()
    firstTaken.set(record.topic, partitions)
    partitions.set(record.partition, Math.min(headers.reverts, partitions.get(record.partition) ?? headers.reverts))
  }
  if (firstTaken.size === 0 || history.length === 0) return undefined
  const target = history.find((checkpoint) =>
    liesBefore(checkpoint, (topic, partition) => firstTaken.get(topic)?.get(partition) ?? Number.POSITIVE_INFINITY),
  )
  return target === undefined ? null : target === history[0] ? undefined : target
}

/** The newest checkpoint of which nothing will be taken back. */
export function finalCheckpoint(final: NextSeqs, history: Iterable<QueueCheckpoint>): QueueCheckpoint | undefined {
  for (const checkpoint of history)
    if (liesBefore(checkpoint, (topic, partition) => final[topic]?.[partition] ?? 0)) return checkpoint
  return undefined
}

/** Whether a place comes before a seq in each partition, or is that place. */
function liesBefore(checkpoint: QueueCheckpoint, seqOf: (topic: string, partition: number) => number): boolean {
  return decodeCursor(checkpoint).topics.every(({ topic, partitions }: CursorTopic) =>
    partitions.every(({ seq }, partition) => (seq ?? 0) <= seqOf(topic, partition)),
  )
}
