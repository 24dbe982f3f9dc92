import { createReorganisations, type DeadSeqs, type Reorganisations, reorganisationsPartition } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'

/** What is true of a topic as of a head: its records up to there without those that had been taken back before it. */
export interface CanonicalView {
  /** The head, in each partition. */
  readonly asOf: readonly Place[]
  /** What has been taken back, in each partition: at least everything before the head. */
  readonly dead: readonly DeadSeqs[]
}

/** Knows what has been taken back in the topics that are read canonically. */
export interface CanonicalViews {
  /**
   * The view as of a head: one that was described before the call, or that a cursor names.
   *
   * @throws {RetryableError} `reorganisations_pending`: an open transaction holds back what has been taken back.
   */
  at(open: OpenTopic, asOf: readonly Place[]): Promise<CanonicalView>
}

/** All that has been taken back in a topic before these offsets, if not more. */
interface Settled {
  readonly ends: readonly bigint[]
  readonly dead: readonly DeadSeqs[]
}

export function createCanonicalViews(queue: Queue): CanonicalViews {
  const byPartition = new Map<number, Reorganisations>()
  /** Topic id → what is known. */
  const settled = new Map<string, Settled>()
  return {
    async at({ topic, description }, asOf) {
      const ends = description.partitions.map(({ end }) => end)
      const known = settled.get(topic.id)
      if (known && isSettled(known, ends, asOf)) return { asOf, dead: known.dead }
      const reorganisations = reorganisationsOf(topic.registration)
      await reorganisations.catchUp()
      const dead = ends.map((_, partition) => reorganisations.of(topic.name, partition))
      settled.set(topic.id, { ends, dead })
      return { asOf, dead }
    },
  }

  function reorganisationsOf({ lineage, instance }: OpenTopic['topic']['registration']): Reorganisations {
    const writerId = `${lineage}/${instance}`
    const partition = reorganisationsPartition(writerId)
    const found = byPartition.get(partition) ?? createReorganisations(queue, { writerId })
    byPartition.set(partition, found)
    return found
  }
}

/** Whether a head lies before what is settled, and the log has not been cut back since. */
function isSettled(known: Settled, ends: readonly bigint[], asOf: readonly Place[]): boolean {
  return asOf.every(({ offset }, partition) => {
    const end = known.ends[partition]
    return end !== undefined && offset <= end && end <= ends[partition]!
  })
}
