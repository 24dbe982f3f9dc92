import {
  decodeCursor,
  hasReached,
  PositionUnavailableError,
  type ResolvedPosition,
  resolvePosition,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readPosition } from '../api-definition/read-parameters.ts'
import type { CanonicalView, CanonicalViews } from '../history/canonical-views.ts'
import type { Heads } from '../history/heads.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import type { Gap } from './transport.ts'

/** What a reader is answered with whose next records are lost: an error, or a gap and what is there after it. */
export type OnGap = 'error' | 'skip'

/** How a stream begins to read a topic. */
export interface Start {
  readonly position: ResolvedPosition
  /** What is shown up to the head as of which it reads. Absent: the log. */
  readonly canonical?: CanonicalView
  /** What is to be told before anything is read. */
  readonly gap?: Gap
  /** For what is lost on the way. */
  readonly onGap: OnGap
}

export interface StartRequest {
  readonly topic: string
  /** A position as the client wrote it. */
  readonly from: string
  /** The parameter that it is given in. */
  readonly parameter: string
  readonly onGap: OnGap
}

export interface ResolveStartOptions {
  readonly queue: Queue
  readonly topics: TopicDirectory
  readonly heads: Heads
  readonly canonicalViews: CanonicalViews
}

/**
 * Finds where a stream begins. A lost position is the earliest record, after a gap, where `onGap` is `skip`.
 *
 * @throws {RefusedError} `invalid_parameter`, `topic_not_found`
 * @throws {UserError} `invalid_cursor`
 * @throws {PositionUnavailableError} the position is lost, and `onGap` is `error`. Whatever that is, where the log was
 *   cut back while its end was looked up.
 */
export async function resolveStart(
  { queue, topics, heads, canonicalViews }: ResolveStartOptions,
  { topic, from, parameter, onGap }: StartRequest,
): Promise<{ open: OpenTopic; start: Start }> {
  const position = readPosition(parameter, { isStart: true }, from)
  const open = await topics.open(topic)
  const { lineage, instance } = open.topic.registration
  // With its seq, so that the first record is known to be the next one, and a silent topic to be whole.
  if (position.kind === 'latest') return { open, start: { position: { partitions: await heads.of(open) }, onGap } }
  try {
    const resolved = await resolvePosition(queue, open.description, position, { writerId: `${lineage}/${instance}` })
    return { open, start: await startAt(resolved) }
  } catch (error) {
    if (!(error instanceof PositionUnavailableError) || onGap === 'error') throw error
    const [earliest] = decodeCursor(error.earliest).topics
    const gap = { topic, after: from, resumeAt: error.earliest, reason: error.reason }
    return { open, start: { ...(await startAt(earliest!)), gap } }
  }

  async function startAt({ partitions, asOf }: ResolvedPosition): Promise<Start> {
    if (!asOf || hasReached(partitions, asOf)) return { position: { partitions }, onGap }
    return { position: { partitions, asOf }, canonical: await canonicalViews.at(open, asOf), onGap }
  }
}
