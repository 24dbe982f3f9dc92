import type { ReaderPosition } from '@headrace/catalog'
import type { HeadraceError } from '@headrace/queue'
import type { HistoryReader, Run } from '../history/run.ts'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { Ring } from './ring.ts'

/** What one reader reads of a feed. */
export interface FeedView {
  readonly topic: ServedTopic
  /** Older records are read from the history. */
  readonly partitions: readonly Omit<Ring, 'push' | 'restart'>[]
  readonly history: Pick<HistoryReader, 'after'>
  /** Sets the cursors of a run for one reader, and moves the reader after it. */
  readonly address: (run: Run, reader: ReaderPosition) => Run
  /** Records before this place are lost. */
  jump?(partition: number, place: Place): void
  /** Calls `wake` for new records until the function it returns is called. */
  join(reader: FeedReader): () => void
}

export interface FeedReader {
  wake(): void
  /** The topic was removed, created again or given more partitions. */
  end(error: HeadraceError): void
}
