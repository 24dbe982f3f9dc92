import {
  decodeCursor,
  hasReached,
  PositionUnavailableError,
  type ResolvedPosition,
  resolvePosition,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readPosition } from '../api-definition/parameter.ts'
import type { CanonicalView, CanonicalViews } from '../history/canonical-views.ts'
import type { Heads } from '../history/heads.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import type { Gap } from './transport.ts'

/** If the next records no longer exist. */
export type OnGap = 'error' | 'skip'

export interface Start {
  readonly position: ResolvedPosition
  /** Up to `position.asOf`. Absent: the log. */
  readonly canonical?: CanonicalView
  readonly gap?: Gap
  readonly onGap: OnGap
}

export interface StartRequest {
  readonly topic: string
  readonly from: string
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
 * With `onGap: 'skip'`, a position whose records no longer exist becomes the earliest one, with a gap.
 *
 * @throws {PositionUnavailableError} `onGap` is `error`; or the log was truncated while its end was read.
 */
export async function resolveStart(
  { queue, topics, heads, canonicalViews }: ResolveStartOptions,
  { topic, from, parameter, onGap }: StartRequest,
): Promise<{ open: OpenTopic; start: Start }> {
  const position = readPosition(parameter, from, { isStart: true })
  const open = await topics.open(topic)
  const { lineage, instance } = open.topic.registration
  // `heads` adds the seq, which proves that no record was lost before the first one.
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
