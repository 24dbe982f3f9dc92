import type { DataRecord, Gap } from '../batch.ts'
import type { Service } from '../service/service.ts'

/** A connection over which topics are read live, in any protocol. */
export interface Connection {
  /** Topic → its first cursor. */
  readonly starts: ReadonlyMap<string, string>
  /**
   * Takes all received messages, at least one. Throws the reason of the end after the last message. Reading pauses when
   * more than `bufferSize` is not taken.
   */
  take(): Promise<StreamMessage[]>
  close(): void
}

export interface ConnectionRequest {
  readonly service: Service
  /** Topic → start position. */
  readonly places: ReadonlyMap<string, string>
  readonly onGap: 'error' | 'skip'
  /** Characters that may wait to be taken. */
  readonly bufferSize: number
  readonly signal: AbortSignal | undefined
}

/** Time in which a subscription must be answered, in ms. */
export const subscribeMs = 30_000

/** A message of a stream, in any protocol. */
export type StreamMessage =
  | { readonly kind: 'record'; readonly record: DataRecord<unknown> }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'gap'; readonly gap: StreamGap }

/** Every record before these cursors has been received. */
export interface Progress {
  readonly cursors: Readonly<Record<string, string>>
  /** Topic → the last unit of which every record was sent. */
  readonly units: Readonly<Record<string, string>>
}

export interface StreamGap {
  readonly topic: string
  readonly after: string
  readonly resumeAt: string
  readonly reason: Gap['reason']
}
