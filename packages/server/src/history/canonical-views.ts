import {
  createReorganisations,
  type Reorganisations,
  type RevertedSeqs,
  reorganisationsPartition,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'

/** A topic up to a head, without the records that were reverted before it. */
export interface CanonicalView {
  readonly asOf: readonly Place[]
  /** Of each partition: at least all that were reverted before the head. */
  readonly dead: readonly RevertedSeqs[]
}

export interface CanonicalViews {
  /**
   * @param asOf - A head that was described before the call or that a cursor names.
   * @throws {RetryableError} `reorganisations_pending`: an open transaction may hold reverts.
   */
  at(open: OpenTopic, asOf: readonly Place[]): Promise<CanonicalView>
}

/** At least all reverts before these offsets. */
interface Settled {
  readonly ends: readonly bigint[]
  readonly dead: readonly RevertedSeqs[]
}

export function createCanonicalViews(queue: Queue): CanonicalViews {
  const byPartition = new Map<number, Reorganisations>()
  /** By topic id. */
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

/** Whether all reverts before a head are known and the log has not been truncated since. */
function isSettled(known: Settled, ends: readonly bigint[], asOf: readonly Place[]): boolean {
  return asOf.every(({ offset }, partition) => {
    const end = known.ends[partition]
    return end !== undefined && offset <= end && end <= ends[partition]!
  })
}
