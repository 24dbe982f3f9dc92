import { newestFirst, systemTopics } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'

/** Of the last day. */
export interface RecentDeadLetters {
  /** By writer id, the most recent first. */
  readonly byWriter: ReadonlyMap<string, readonly DeadLetter[]>
  /** Whether there are more than were read. */
  readonly isPartial: boolean
}

export interface DeadLetter {
  readonly topic: string
  readonly code: string
  readonly time: number
}

const recentMs = 24 * 3_600_000
/** A dead letter can have 64 KiB of its message. */
const mostLetters = 1000

export async function readDeadLetters(queue: Queue, now: number): Promise<RecentDeadLetters> {
  const byWriter = new Map<string, DeadLetter[]>()
  const [topic] = await queue.describe([systemTopics.deadLetters])
  if (!topic) return { byWriter, isPartial: false }
  const { earliest: from, end: to } = topic.partitions[0]!
  let count = 0
  for await (const record of newestFirst(queue, { topic: topic.name, topicId: topic.id, partition: 0, from, to })) {
    if (record.time < now - recentMs) break
    if (count++ === mostLetters) return { byWriter, isPartial: true }
    const { writer, ...letter } = readLetter(record)
    const known = byWriter.get(writer)
    if (known) known.push(letter)
    else byWriter.set(writer, [letter])
  }
  return { byWriter, isPartial: false }
}

/** Without the message and the reason, which may have secrets. */
function readLetter({ value, time }: QueueRecord): DeadLetter & { readonly writer: string } {
  try {
    const { writer, topic, code } = JSON.parse(Buffer.from(value ?? []).toString())
    return { writer: `${writer}`, topic: `${topic}`, code: `${code}`, time }
  } catch {
    return { writer: 'unknown', topic: 'unknown', code: 'unknown', time }
  }
}
