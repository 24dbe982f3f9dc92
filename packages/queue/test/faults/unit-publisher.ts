import {
  CommitUnknownError,
  type Queue,
  QueueUnavailableError,
  TransactionAbortedError,
  type Writer,
} from '@headrace/queue'
import { checkpointOf, type PublishStep, readCheckpoint, unitRecords } from '../units.ts'

export interface UnitPublisherOptions {
  readonly queue: Queue
  readonly series: string
  readonly partitions?: number
  /** The last unit to publish. */
  readonly upTo: number
  /** Awaited at each step of each unit; at `committing` concurrently with the commit. */
  readonly onStep: (step: PublishStep, unit: number) => Promise<void>
}

/** How often a unit was published again, and how often only the checkpoint showed the outcome of a commit. */
export interface Trouble {
  readonly refused: number
  readonly unknown: number
}

/**
 * Publishes units from the checkpoint on, as a run of a connector: a refused unit is published again, and after an unknown
 * outcome a new writer reads the checkpoint.
 */
export async function publishUnits(options: UnitPublisherOptions): Promise<Trouble> {
  const { queue, series, upTo } = options
  const trouble = { refused: 0, unknown: 0 }
  let writer = await queue.openWriter({ id: series, claim: 'publisher' })
  for (let unit = (await readCheckpoint(queue, series)) + 1; unit <= upTo; ) {
    try {
      trouble.refused += await publishUnit(options, writer, unit)
      unit++
    } catch (error) {
      if (!(error instanceof CommitUnknownError || error instanceof QueueUnavailableError)) throw error
      trouble.unknown++
      await writer.close()
      writer = await queue.openWriter({ id: series, claim: 'publisher' })
      unit = (await readCheckpoint(queue, series)) + 1
    }
  }
  await writer.close()
  return trouble
}

/** Returns the number of refusals. */
async function publishUnit(options: UnitPublisherOptions, writer: Writer, unit: number): Promise<number> {
  const { series, partitions, onStep } = options
  for (let refused = 0; ; refused++) {
    const transaction = writer.begin()
    await onStep('begun', unit)
    for (const record of unitRecords(series, unit, partitions)) transaction.send(record)
    transaction.send(checkpointOf(series, unit))
    await onStep('sent', unit)
    const committing = onStep('committing', unit)
    try {
      await Promise.all([transaction.commit(), committing])
      await onStep('committed', unit)
      return refused
    } catch (error) {
      if (!(error instanceof TransactionAbortedError)) throw error
      await transaction.abort()
    }
  }
}
