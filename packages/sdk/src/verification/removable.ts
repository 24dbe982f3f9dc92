import { checkpointRingSize, type NextSeqs, readCheckpoint } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { readCheckpoints } from '../runtime/reset/read-checkpoints.ts'

/** What retention may have removed by now: records of units that cannot be reverted any more. */
export interface Removable {
  /** The last unit that it may have removed. */
  readonly unit: number
  /** What followed that unit. */
  readonly nextSeq: NextSeqs
}

/** Reads how far retention may have come; `undefined` where every unit can still be reverted. */
export async function readRemovable(queue: Queue, writerId: string): Promise<Removable | undefined> {
  try {
    const newest = await readCheckpoint(queue, writerId)
    if (!newest) return undefined
    const { final } = newest
    if (newest.unit - (final?.unit ?? 0) < checkpointRingSize) return final ?? undefined
    const { history } = await readCheckpoints(queue, writerId)
    const oldest = history.at(-1)
    return oldest && oldest.previous !== null ? oldest : (final ?? undefined)
  } catch (error) {
    // That a checkpoint cannot be read is a finding of its own.
    if (error instanceof UserError && error.code === 'invalid_checkpoint') return undefined
    throw error
  }
}
