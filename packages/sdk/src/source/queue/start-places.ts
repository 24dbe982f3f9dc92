import { type Cursor, decodeCursor, type PartitionPlace } from '@headrace/catalog'
import { inputChanged, inputLost } from './input-errors.ts'
import type { OpenedTopic } from './open-topics.ts'
import type { QueueCheckpoint } from './queue-input.ts'

/** Where to begin reading a partition. */
export interface StartPlace {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly place: PartitionPlace
}

export interface StartOptions {
  readonly topics: readonly OpenedTopic[]
  /** Of the unit published last. */
  readonly checkpoint: QueueCheckpoint | undefined
  /** Where to begin without one. */
  readonly from: 'earliest' | 'latest'
}

/**
 * Where to begin in each partition: after the unit published last, else where `from` says.
 *
 * @throws {UserError} `input_changed`, `input_lost`
 */
export function startPlaces({ topics, checkpoint, from }: StartOptions): StartPlace[] {
  const cursor = checkpoint === undefined ? undefined : checkedCursor(checkpoint, topics)
  return topics.flatMap(({ description: { name, id, partitions } }) => {
    const known = cursor?.topics.find(({ topic }) => topic === name)?.partitions
    return partitions.map(({ earliest, end }, partition) => ({
      topic: name,
      topicId: id,
      partition,
      place: known?.[partition] ?? { offset: !cursor && from === 'latest' ? end : earliest, seq: null },
    }))
  })
}

function checkedCursor(checkpoint: QueueCheckpoint, topics: readonly OpenedTopic[]): Cursor {
  const cursor = decodeCursor(checkpoint)
  const before = cursor.topics.map(({ topic }) => topic).sort()
  const now = topics.map(({ description }) => description.name).sort()
  if (before.join() !== now.join()) throw inputChanged(before, now)
  for (const { topic, id } of cursor.topics) {
    const { description } = topics.find((one) => one.description.name === topic)!
    if (description.id !== id) throw inputLost(topic, 'the topic was deleted and created anew')
  }
  return cursor
}
