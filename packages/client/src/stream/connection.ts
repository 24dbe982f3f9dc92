import type { DataRecord, Gap } from '../batch.ts'
import type { Service } from '../service/service.ts'

/** One connection over which topics are read live, whatever the protocol. */
export interface Connection {
  /** Topic → the cursor at which it begins. */
  readonly starts: ReadonlyMap<string, string>
  /**
   * Takes what has come, at least one message. Throws why the connection is over, once everything before was taken.
   * Who does not take is not sent more than `bufferSize` and what is under way.
   */
  take(): Promise<StreamMessage[]>
  close(): void
}

export interface ConnectionRequest {
  readonly service: Service
  /** Topic → the position at which to begin. */
  readonly places: ReadonlyMap<string, string>
  readonly onGap: 'error' | 'skip'
  /** Characters that may be here and not be taken. */
  readonly bufferSize: number
  readonly signal: AbortSignal | undefined
}

/** Time in which a subscription is to be answered, in ms. */
export const subscribeMs = 30_000

/** What comes over a stream, whatever the protocol. */
export type StreamMessage =
  | { readonly kind: 'record'; readonly record: DataRecord<unknown> }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'gap'; readonly gap: StreamGap }

/** Everything before these cursors has come. */
export interface Progress {
  readonly cursors: Readonly<Record<string, string>>
  /** Topic → the unit through which it is whole. */
  readonly units: Readonly<Record<string, string>>
}

export interface StreamGap {
  readonly topic: string
  readonly after: string
  readonly resumeAt: string
  readonly reason: Gap['reason']
}
