import { type Queue, QueueUnavailableError } from '../../../queue/src/index.ts'
import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { UnitsOracle } from '../oracle/units-oracle.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import { checkFailure, isDenial } from './publish-run.ts'
import { partitions, recordsOf, recordsPerUnit, topic, units } from './publish-units.ts'

export interface ReaderOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly oracle: UnitsOracle
}

/** Follows the topic until everything is read. */
export function follow(options: ReaderOptions, program: Program): Promise<void> {
  return readAll(options, program, async (queue, places) => {
    const stop = new AbortController()
    try {
      for await (const batch of queue.follow(places.map(positionOf), { signal: stop.signal })) {
        const place = places[batch.partition]!
        for (const record of recordsOf(batch)) {
          options.oracle.readerHas(program.name, batch.partition, record)
          place.count++
        }
        place.offset = batch.nextOffset
        if (complete(places)) return
      }
    } finally {
      stop.abort()
    }
  })
}

/**
 * Reads page by page until everything is read. An empty page proves that there were no records at the time of the
 * request, unless a leader that did not know the end has answered.
 */
export function page(options: ReaderOptions, program: Program): Promise<void> {
  const { world, oracle, kafka } = options
  return readAll(options, program, async (queue, places) => {
    while (!complete(places)) {
      for (const place of places) {
        const { partition } = place
        const shown = oracle.count(partition)
        const askedAt = world.now()
        const { batches, next } = await queue.read(positionOf(place), { maxBytes: 1 + world.random.integer(500) })
        for (const batch of batches)
          for (const record of recordsOf(batch)) {
            oracle.readerHas(program.name, partition, record)
            place.count++
          }
        place.offset = next
        const { staleUntil } = kafka.topics.current.get(topic)!.partitions[partition]!
        if (batches.length === 0 && place.count < shown && staleUntil < askedAt)
          world.fail(`${program.name} has read ${place.count} records of partition ${partition} as all of ${shown}`)
      }
      await readInside(options, queue, world.random.pick(places))
      await world.wait(world.random.integer(world.random.pick([10, 3_000])), program)
    }
  })
}

/** Reads from an offset that was read before. The first record must not be before it. */
async function readInside({ world }: ReaderOptions, queue: Queue, { partition, offset }: Place): Promise<void> {
  const from = BigInt(world.random.integer(Number(offset) + 1))
  const { batches } = await queue.read({ topic, partition, offset: from }, { maxBytes: 1 })
  for (const batch of batches)
    for (const record of batch.records())
      if (record.offset < from) world.fail(`a page from offset ${from} on begins with ${record.offset}`)
}

interface Place {
  readonly partition: number
  offset: bigint
  count: number
}

const positionOf = ({ partition, offset }: Place) => ({ topic, partition, offset })
const complete = (places: readonly Place[]) => places.every(({ count }) => count === units * recordsPerUnit)

/** Reads until everything is read. When no broker answers, it opens the queue again and continues. */
async function readAll(
  { world, kafka }: ReaderOptions,
  program: Program,
  read: (queue: Queue, places: readonly Place[]) => Promise<void>,
): Promise<void> {
  const places = Array.from({ length: partitions }, (_, partition): Place => ({ partition, offset: 0n, count: 0 }))
  while (!complete(places)) {
    let queue: Queue | undefined
    try {
      queue = await kafka.open(program)
      if ((await queue.describe([topic])).length > 0) await read(queue, places)
      else await world.wait(500, program)
    } catch (error) {
      if (!(error instanceof QueueUnavailableError || isDenial(world, error))) throw error
      checkFailure(world, program, error)
      world.note(program.name, `tries again: ${error.message}`)
      await world.wait(1_000, program)
    } finally {
      await queue?.close()
    }
  }
}
