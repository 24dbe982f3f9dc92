import { PositionUnavailableError, tellLoss } from '@headrace/catalog'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { History } from './history.ts'

/** The ends of topics, with the seqs that come next there. */
export interface Heads {
  /**
   * The end of each partition of a topic as it was described.
   *
   * @throws {PositionUnavailableError} it has been cut back since, or all before it has been removed.
   */
  of(open: OpenTopic): Promise<readonly Place[]>
}

interface KnownHead {
  readonly topic: ServedTopic
  readonly places: Promise<readonly Place[]>
  readonly ends: readonly bigint[]
  readonly generation: number
}

export function createHeads(history: History): Heads {
  const known = new Map<string, KnownHead>()
  return {
    of({ topic, description }) {
      const ends = description.partitions.map(({ end }) => end)
      const found = known.get(topic.name)
      if (found?.topic.id === topic.id && ends.some((end, partition) => end < (found.ends[partition] ?? 0n)))
        history.forget(topic)
      const generation = history.generationOf(topic)
      if (found?.topic === topic && found.generation === generation && areEqual(ends, found.ends)) return found.places
      const places = tellLoss(
        description,
        Promise.all(
          description.partitions.map(({ earliest, end }, partition) => headOf(topic, { partition, earliest, end })),
        ),
      )
      known.set(topic.name, { topic, ends, generation, places })
      places.catch((error) => {
        known.delete(topic.name)
        if (error instanceof PositionUnavailableError && error.reason === 'truncated') history.forget(topic)
      })
      return places
    },
  }

  async function headOf(
    topic: ServedTopic,
    { partition, earliest, end }: { partition: number; earliest: bigint; end: bigint },
  ): Promise<Place> {
    for (let to = end; to > earliest; ) {
      const run = await history.before(topic, { partition, from: earliest, to })
      const last = run.records.at(-1)
      if (last) return { offset: end, seq: last.seq === null ? null : last.seq + 1 }
      to = run.from
    }
    return { offset: end, seq: null }
  }
}

function areEqual(ends: readonly bigint[], others: readonly bigint[]): boolean {
  return ends.every((end, partition) => end === others[partition])
}
