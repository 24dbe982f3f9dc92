import type { ResolvedPosition } from '@headrace/catalog'
import type { CanonicalView } from '../history/canonical-views.ts'
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
