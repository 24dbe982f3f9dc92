import {
  createReorganisations,
  createRevertedSeqs,
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
  /** For each partition, at least all seqs that were reverted before the head. */
  readonly reverted: readonly RevertedSeqs[]
}

export interface CanonicalViews {
  /**
   * @param asOf - A head that was described before the call or that a cursor names.
   * @throws {RetryableError} `reorganisations_pending`: an open transaction may hold reverts.
   */
  at(open: OpenTopic, asOf: readonly Place[]): Promise<CanonicalView>
}

/** Reverts of a topic: at least all of those before `ends`, the offset in each partition. */
interface KnownReverts {
  readonly ends: readonly bigint[]
  readonly reverted: readonly RevertedSeqs[]
}

export function createCanonicalViews(queue: Queue): CanonicalViews {
  const byPartition = new Map<number, Reorganisations>()
  const knownByTopic = new Map<string, KnownReverts>()
  return {
    async at({ topic, description }, asOf) {
      const ends = description.partitions.map(({ end }) => end)
      const known = knownByTopic.get(topic.id)
      if (known && covers(known, ends, asOf)) return { asOf, reverted: known.reverted }
      const reorganisations = topic.writerId === undefined ? undefined : reorganisationsOf(topic.writerId)
      await reorganisations?.catchUp()
      const reverted = ends.map((_, partition) => reorganisations?.of(topic.name, partition) ?? nothingReverted)
      knownByTopic.set(topic.id, { ends, reverted })
      return { asOf, reverted }
    },
  }

  function reorganisationsOf(writerId: string): Reorganisations {
    const partition = reorganisationsPartition(writerId)
    const found = byPartition.get(partition) ?? createReorganisations(queue, { writerId })
    byPartition.set(partition, found)
    return found
  }
}

/** Only connectors revert records. */
const nothingReverted: RevertedSeqs = createRevertedSeqs()

/** Whether all reverts before a head are known and the log has not been truncated since. */
function covers(known: KnownReverts, ends: readonly bigint[], asOf: readonly Place[]): boolean {
  return asOf.every(({ offset }, partition) => {
    const end = known.ends[partition]
    return end !== undefined && offset <= end && end <= ends[partition]!
  })
}
