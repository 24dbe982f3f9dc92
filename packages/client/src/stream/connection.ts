import type { DataRecord, Gap } from '../batch.ts'
import type { NextSeqs } from '../sequence.ts'
import type { Credential } from '../service/credentials.ts'
import type { Service } from '../service/service.ts'

export interface Connection {
  /** Topic → its first cursor. */
  readonly starts: ReadonlyMap<string, string>
  /**
   * All received messages, at least one. Throws the reason of the end after the last message. Reading pauses above
   * `bufferSize`.
   */
  take(): Promise<StreamMessage[]>
  /** With a reason, `take` throws it after the last message. */
  close(reason?: unknown): void
}

export interface ConnectionRequest {
  readonly service: Service
  readonly credential: Credential
  /** Topic → start position. */
  readonly places: ReadonlyMap<string, string>
  readonly select: TopicSelections
  readonly onGap: 'error' | 'skip'
  readonly bufferSize: number
  readonly signal: AbortSignal | undefined
}

/** By topic. */
export interface TopicSelections {
  readonly filter?: Readonly<Record<string, string>> | undefined
  readonly fields?: Readonly<Record<string, readonly string[]>> | undefined
}

/** For a subscription to be answered, in ms. */
export const subscribeMs = 30_000

export type StreamMessage =
  | { readonly kind: 'record'; readonly record: DataRecord<unknown> }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'gap'; readonly gap: StreamGap }
  /** Of a subscription with a filter or fields. */
  | { readonly kind: 'start'; readonly topic: string; readonly nextSeqs: NextSeqs }

export interface Progress {
  readonly cursors: Readonly<Record<string, string>>
  /** Topic → the last unit of which every record was sent. */
  readonly units: Readonly<Record<string, string>>
  /** Topic with a filter or fields → for each partition, the seq of the record after the cursor. */
  readonly nextSeqs?: Readonly<Record<string, NextSeqs>>
}

export interface StreamGap {
  readonly topic: string
  readonly after: string
  readonly resumeAt: string
  readonly reason: Gap['reason']
}

/** A topic of an answer to `subscribe` or `unsubscribe`, or of `ready`. */
export interface TopicPlace {
  readonly topic: string
  readonly cursor: string
  readonly nextSeqs?: NextSeqs
}

export function startOf({ topic, nextSeqs }: TopicPlace): StreamMessage[] {
  return nextSeqs ? [{ kind: 'start', topic, nextSeqs }] : []
}

/** `undefined` if the kind is unknown: newer gateways may send others. */
export function toMessage(kind: string, content: unknown): StreamMessage | undefined {
  if (kind === 'record') return { kind, record: content as DataRecord<unknown> }
  if (kind === 'progress') return { kind, progress: content as Progress }
  if (kind === 'gap') return { kind, gap: content as StreamGap }
  return undefined
}
