import { type PartitionOffset, PositionLostError, type Queue, RetryableError, UnknownTopicError } from '@headrace/queue'
import { checkpointPartition } from '../checkpoint/checkpoint.ts'
import { systemTopics } from '../system-topics/system-topics.ts'
import { readReorganisation } from './reorganisation.ts'
import { createRevertedSeqs, type RevertedSeqs } from './reverted-seqs.ts'

/** Reverted records, from one partition of `_headrace.reorgs`. */
export interface Reorganisations {
  /**
   * Reads all that was committed before the call: every revert that the caller has seen, since its reorganisation is in
   * the same transaction.
   *
   * @throws {RetryableError} `reorganisations_pending`: an open transaction blocks reading for longer than `waitMs`.
   * @throws {UserError} `invalid_reorganisation`
   */
  catchUp(): Promise<void>
  /** Updated by later calls, until `_headrace.reorgs` is truncated or created again. */
  of(topic: string, partition: number): RevertedSeqs
}

export interface ReorganisationsOptions {
  /** A writer of the topics, `<lineage>/<instance>`. */
  readonly writerId: string
  /** How long to wait for open transactions. Default: 5,000. */
  readonly waitMs?: number
}

const readBytes = 1 << 20
const longestWaitMs = 250

/** Writers with the same partition can share one reader. */
export const reorganisationsPartition: (writerId: string) => number = checkpointPartition

/** Reads nothing before the first `catchUp`, then only new records. Calls may overlap. */
export function createReorganisations(
  queue: Queue,
  { writerId, waitMs = 5000 }: ReorganisationsOptions,
): Reorganisations {
  const place = { topic: systemTopics.reorgs, partition: reorganisationsPartition(writerId) }
  let known = new Map<string, RevertedSeqs>()
  let topicId: string | undefined
  let offset: bigint | undefined
  let reading: Promise<void> | undefined

  return {
    async catchUp() {
      const read = offset
      const end = await highWatermark()
      const deadline = performance.now() + waitMs
      // A truncated log may have other records at these offsets.
      if (read !== undefined && read > end) restart()
      while ((offset ?? 0n) < end) {
        if (performance.now() > deadline) throw pending(offset ?? 0n, end)
        reading ??= readNext().finally(() => {
          reading = undefined
        })
        await reading
      }
    },
    of,
  }

  /** A queue without connectors has no such topic. */
  async function highWatermark(): Promise<bigint> {
    try {
      return await queue.highWatermark(place.topic, place.partition)
    } catch (error) {
      if (error instanceof UnknownTopicError) return 0n
      throw error
    }
  }

  async function readNext(): Promise<void> {
    const into = known
    try {
      const { batches, next } = await queue.read(await placeToRead(), { maxBytes: readBytes, maxWaitMs: longestWaitMs })
      if (into !== known) return
      for (const batch of batches) {
        for (const record of batch.records()) {
          const interval = readReorganisation(record)
          if (interval) of(interval.topic, interval.partition).add(interval)
        }
      }
      offset = next
    } catch (error) {
      if (!(error instanceof PositionLostError)) throw error
      if (into === known) restart()
    }
  }

  async function placeToRead(): Promise<PartitionOffset> {
    if (offset === undefined) {
      const [topic] = await queue.describe([place.topic])
      topicId = topic?.id
      offset = topic?.partitions[place.partition]?.earliest ?? 0n
    }
    return { ...place, offset, ...(topicId !== undefined && { topicId }) }
  }

  function restart(): void {
    known = new Map()
    offset = undefined
  }

  function of(topic: string, partition: number): RevertedSeqs {
    const name = `${topic}/${partition}`
    const found = known.get(name) ?? createRevertedSeqs()
    known.set(name, found)
    return found
  }
}

function pending(offset: bigint, end: bigint): RetryableError {
  return new RetryableError(
    'reorganisations_pending',
    `"${systemTopics.reorgs}" can be read up to offset ${offset} only, and ends at ${end}: an open transaction blocks it, so ` +
      'reverted records are not known yet. Try again after the transaction has ended.',
  )
}
