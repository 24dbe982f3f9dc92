import type { PartitionOffset, Queue } from '@headrace/queue'
import { batchValues, dataTopics, valuesUpTo } from '../units.ts'

export interface UnitReaderOptions {
  readonly queue: Queue
  readonly series: string
  readonly partitions: number
  /** The last unit to read. */
  readonly upTo: number
  /** Ends the reading if fewer values become visible. */
  readonly signal: AbortSignal
}

/** Values in the order of reading, by `topic/partition`. */
export type SeenValues = Map<string, string[]>

/** The values of a series that a reader must see. */
export function valuesOfAll({ series, partitions, upTo }: UnitReaderOptions): SeenValues {
  return new Map(places(series, partitions).map((place) => [nameOf(place), valuesUpTo(upTo, place.partition)]))
}

/** Follows all partitions from the start until the expected number of values was seen. */
export async function followUnits(options: UnitReaderOptions): Promise<SeenValues> {
  const { queue, series, partitions, signal } = options
  const following = places(series, partitions)
  const seen: SeenValues = new Map(following.map((place) => [nameOf(place), []]))
  let missing = countOf(valuesOfAll(options))
  const enough = new AbortController()
  const until = AbortSignal.any([signal, enough.signal])
  for await (const batch of queue.follow(following, { signal: until })) {
    const values = batchValues(batch.records())
    seen.get(nameOf(batch))!.push(...values)
    missing -= values.length
    if (missing <= 0) enough.abort()
  }
  return seen
}

/** Reads each partition repeatedly from the start until the expected number of values was seen. */
export async function readUnits(options: UnitReaderOptions): Promise<SeenValues> {
  const expected = valuesOfAll(options)
  const reading = places(options.series, options.partitions).map(async (place): Promise<[string, string[]]> => {
    const seen: string[] = []
    for (let offset = 0n; seen.length < expected.get(nameOf(place))!.length && !options.signal.aborted; ) {
      const { batches, next } = await options.queue.read(
        { ...place, offset },
        { maxBytes: 1024 * 1024, maxWaitMs: 1_000 },
      )
      for (const batch of batches) seen.push(...batchValues(batch.records()))
      offset = next
    }
    return [nameOf(place), seen]
  })
  return new Map(await Promise.all(reading))
}

function places(series: string, partitions: number): PartitionOffset[] {
  return dataTopics(series).flatMap((topic) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic, partition, offset: 0n })),
  )
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`
}

function countOf(values: SeenValues): number {
  return [...values.values()].reduce((sum, { length }) => sum + length, 0)
}
