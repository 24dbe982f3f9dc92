import type { Gap } from '../batch.ts'
import type { DataRecord } from '../record.ts'

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
