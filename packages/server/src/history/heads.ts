import { convertPositionLoss, findHead, PositionUnavailableError } from '@headrace/catalog'
import { PositionLostError } from '@headrace/queue'
import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { History } from './history.ts'
import { readRange } from './range.ts'
import type { HistoryRange } from './run.ts'

export interface Heads {
  /** @throws {PositionUnavailableError} the log has been truncated since it was described. */
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
        history.invalidate(topic)
      const generation = history.generationOf(topic)
      const isSame = found?.topic === topic && found.generation === generation
      if (isSame && ends.every((end, partition) => end === found.ends[partition])) return found.places
      const heads = description.partitions.map(({ earliest, end }, partition) => {
        return headOf(topic, { partition, from: earliest, to: end })
      })
      const places = convertPositionLoss(description, Promise.all(heads))
      known.set(topic.name, { topic, ends, generation, places })
      places.catch((error) => {
        known.delete(topic.name)
        if (error instanceof PositionUnavailableError && error.reason === 'truncated') history.invalidate(topic)
      })
      return places
    },
  }

  async function headOf(topic: ServedTopic, range: HistoryRange): Promise<Place> {
    try {
      return await findHead(range.to, readRange(history, { topic, ...range, order: 'desc' }), ({ seq }) => seq)
    } catch (error) {
      if (!(error instanceof PositionLostError && error.wasRemoved)) throw error
      // Retention has removed records since the topic was described. The last record may still exist.
      return headOf(topic, { ...range, from: error.earliest })
    }
  }
}
