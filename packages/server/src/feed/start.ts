import {
  decodeCursor,
  hasReached,
  nextSeqsOf,
  PositionUnavailableError,
  type ResolvedPosition,
  resolvePosition,
} from '@headrace/catalog'
import type { ApiContext } from '../api-context.ts'
import { readPosition } from '../api-definition/parameter.ts'
import type { Limits } from '../options/limits.ts'
import { type SelectionRequest, selectionOf } from '../selection/selection.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { Start } from './subscription.ts'

export interface TopicStart extends Start {
  readonly open: OpenTopic
}

export interface StartRequest extends Pick<Start, 'onGap'>, SelectionRequest {
  readonly topic: string
  readonly from: string
  readonly parameter: string
}

/**
 * With `onGap: 'skip'`, a position whose records no longer exist becomes the earliest one, with a gap.
 *
 * @throws {PositionUnavailableError} `onGap` is `error`; or the log was truncated while its end was read.
 */
export async function resolveStart(
  { queue, topics, heads, canonicalViews }: Pick<ApiContext, 'queue' | 'topics' | 'heads' | 'canonicalViews'>,
  request: StartRequest,
): Promise<TopicStart> {
  const { topic, from, parameter, onGap } = request
  const position = readPosition(parameter, from, { isStart: true })
  const open = await topics.open(topic)
  const selection = selectionOf(open.topic, request)
  const { writerId } = open.topic
  // `heads` adds the seq, which proves that no record was lost before the first one.
  if (position.kind === 'latest') return { open, onGap, selection, position: { partitions: await heads.of(open) } }
  try {
    return await startAt(await resolvePosition(queue, open.description, position, { writerId }))
  } catch (error) {
    if (!(error instanceof PositionUnavailableError) || onGap === 'error') throw error
    const [earliest] = decodeCursor(error.earliest).topics
    const gap = { topic, after: from, resumeAt: error.earliest, reason: error.reason }
    return { ...(await startAt(earliest!)), gap }
  }

  async function startAt({ partitions, asOf }: ResolvedPosition): Promise<TopicStart> {
    if (!asOf || hasReached(partitions, asOf)) return { open, onGap, selection, position: { partitions } }
    return { open, onGap, selection, position: { partitions, asOf }, canonical: await canonicalViews.at(open, asOf) }
  }
}

/** The message that begins a stream, in the form of `startSchema`. */
export function startMessage(starts: readonly TopicStart[], { heartbeatMs }: Limits): Record<string, unknown> {
  const topics = starts.map(({ open: { topic }, position, selection }) => {
    const nextSeqs = selection && nextSeqsOf(position.partitions)
    return { topic: topic.name, cursor: topic.cursorAt(position), ...(nextSeqs && { nextSeqs }) }
  })
  return { topics, heartbeatMs }
}
