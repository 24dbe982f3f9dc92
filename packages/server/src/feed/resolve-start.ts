import { decodeCursor, PositionUnavailableError, parsePosition, resolvePosition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place } from '../topics/served-topic.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import type { Gap } from './transport.ts'

export interface StartRequest {
  readonly topic: string
  /** A position as the client wrote it. */
  readonly from: string
  /** What a lost position is answered with: an error, or a gap and the earliest record that is there. */
  readonly onGap: 'error' | 'skip'
}

/** Where a stream begins to send a topic. */
export interface Start {
  readonly open: OpenTopic
  readonly place: Place
  readonly gap?: Gap
}

/**
 * Finds where a stream begins.
 *
 * @throws {RefusedError} `topic_not_found`, `unsupported_topic`
 * @throws {UserError} `invalid_position`, `invalid_cursor`
 * @throws {PositionUnavailableError} the position is lost, and `onGap` is `error`.
 */
export async function resolveStart(
  { queue, topics }: { queue: Queue; topics: TopicDirectory },
  { topic, from, onGap }: StartRequest,
): Promise<Start> {
  const position = parsePosition(from)
  const open = await topics.open(topic)
  const { lineage, instance } = open.topic.registration
  try {
    const resolved = await resolvePosition(queue, open.description, position, { writerId: `${lineage}/${instance}` })
    return { open, place: resolved.partitions[0]! }
  } catch (error) {
    if (!(error instanceof PositionUnavailableError) || onGap === 'error') throw error
    const [earliest] = decodeCursor(error.earliest).topics
    const gap: Gap = { topic, after: from, resumeAt: error.earliest, reason: error.reason }
    return { open, place: earliest!.partitions[0]!, gap }
  }
}
