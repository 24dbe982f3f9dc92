import type { Client } from '@headrace/client'
import type { SinkBatch, SinkRecord } from '../destination/destination.ts'

export type SinkClient = Client<Record<string, Readonly<Record<string, unknown>>>>

/** Batches that are read ahead while the destination works. Those of the client have at most 1,000 records. */
const aheadBatches = 10

/**
 * Joins all batches of a topic that have come while the caller worked, so that a slow destination gets large batches, and
 * a fast one gets records at once. A topic has one source. Ends with the sources, and throws the error of one after all
 * that was read before it.
 */
export async function* joinBatches(
  sources: readonly AsyncIterable<SinkBatch>[],
  maxRecords: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<SinkBatch, void, void> {
  const waiting: SinkBatch[] = []
  let open = sources.length
  let failed = false
  let change = Promise.withResolvers<void>()
  const notify = () => {
    change.resolve()
    change = Promise.withResolvers<void>()
  }
  const stop = new AbortController()

  async function pump(source: AsyncIterable<SinkBatch>): Promise<void> {
    try {
      for await (const batch of source) {
        waiting.push(batch)
        notify()
        while (waiting.length >= aheadBatches && !stop.signal.aborted) await change.promise
        if (stop.signal.aborted) return
      }
    } catch (error) {
      failed = true
      throw error
    } finally {
      open--
      notify()
    }
  }

  const pumping = Promise.all(sources.map(pump))
  // Awaited once everything that came before it was yielded.
  pumping.catch(() => {})
  try {
    for (;;) {
      while (waiting.length === 0 && open > 0 && !failed) await change.promise
      if (waiting.length === 0) return void (await pumping)
      const batch = takeTopic(waiting, maxRecords)
      notify()
      yield batch
    }
  } finally {
    stop.abort()
    notify()
  }
}

/** Waiting batches of the topic of the first one, as one. The first is taken whatever its size. */
function takeTopic(waiting: SinkBatch[], maxRecords: number): SinkBatch {
  const { topic } = waiting[0]!
  const taken: SinkBatch[] = []
  const others: SinkBatch[] = []
  let count = 0
  let isFull = false
  for (const batch of waiting) {
    if (batch.topic !== topic) others.push(batch)
    else {
      isFull ||= taken.length > 0 && count + batch.records.length > maxRecords
      count += batch.records.length
      if (isFull) others.push(batch)
      else taken.push(batch)
    }
  }
  waiting.splice(0, waiting.length, ...others)
  const records: readonly SinkRecord[] =
    taken.length === 1 ? taken[0]!.records : taken.flatMap(({ records }) => records)
  return { topic, records, cursor: taken.at(-1)!.cursor }
}
