import type { QueueRecord } from '@headrace/queue'

/** What `verify` can find in any connector's topics. A connector's own `verify` adds codes. */
export const verifyFindingCodes = [
  'at_unreadable',
  'seq_missing',
  'seq_repeated',
  'seq_wrong',
  'unit_went_back',
  'unit_wrong',
  'time_went_back',
  'time_wrong',
  'revert_unreadable',
  'revert_out_of_order',
  'revert_differs',
  'dead_interval_missing',
  'dead_interval_wrong',
  'dead_interval_unexpected',
  'dead_interval_unreadable',
  'checkpoint_missing',
  'checkpoint_behind',
  'checkpoint_wrong',
  'checkpoint_unreadable',
  'topic_missing',
  'partition_missing',
  'partition_unexpected',
  'message_not_produced',
  'message_undecodable',
  'key_wrong',
  'partition_wrong',
  'schema_wrong',
  'message_missing',
  'message_unexpected',
  'message_out_of_order',
  'message_differs',
] as const

/** A wrong publication, as JSON. */
export interface VerifyFinding {
  /** Stable, in snake_case. */
  readonly code: string
  readonly message: string
  readonly topic?: string
  readonly partition?: number
  readonly offset?: string
  readonly seq?: number
  readonly unit?: number
  /** The position in the source, e.g. `{ block: 17 }`. */
  readonly source?: Readonly<Record<string, string | number>>
  readonly expected?: unknown
  readonly found?: unknown
}

/** Resolves when the next one may follow. */
export type Report = (finding: VerifyFinding) => Promise<void>

export function placeOf(
  { topic, partition, offset }: Pick<QueueRecord, 'topic' | 'partition' | 'offset'>,
  { seq, unit }: { readonly seq?: number | undefined; readonly unit?: number | undefined },
): Pick<VerifyFinding, 'topic' | 'partition' | 'offset' | 'seq' | 'unit'> {
  return {
    ...{ topic, partition, offset: `${offset}` },
    ...(seq !== undefined && { seq }),
    ...(unit !== undefined && { unit }),
  }
}
