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

export function createCanonicalViews(queue: Queue): CanonicalViews {
  const byPartition = new Map<number, Reorganisations>()
  /** Topic id → the offsets before which everything is known that has been taken back. */
  const settled = new Map<string, readonly bigint[]>()
  return {
    async at({ topic, description }, asOf) {
      const reorganisations = reorganisationsOf(topic.registration)
      const ends = description.partitions.map(({ end }) => end)
      if (!isSettled(settled.get(topic.id), ends, asOf)) {
        await reorganisations.catchUp()
        settled.set(topic.id, ends)
      }
      return { asOf, dead: ends.map((_, partition) => reorganisations.of(topic.name, partition)) }
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
function isSettled(known: readonly bigint[] | undefined, ends: readonly bigint[], asOf: readonly Place[]): boolean {
  return (
    known !== undefined &&
    asOf.every(({ offset }, partition) => {
      const end = known[partition]
      return end !== undefined && offset <= end && end <= ends[partition]!
    })
  )
}
