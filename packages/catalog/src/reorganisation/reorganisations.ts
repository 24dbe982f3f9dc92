import { type PartitionOffset, PositionLostError, type Queue, RetryableError, UnknownTopicError } from '@headrace/queue'
import { checkpointPartition } from '../checkpoint/checkpoint.ts'
import { systemTopics } from '../system-topics/system-topics.ts'
import { readDeadInterval } from './dead-interval.ts'
import { createDeadSeqs, type DeadSeqs } from './dead-seqs.ts'

/** What connector instances have taken back: those whose records lie in one partition of `_headrace.reorgs`. */
export interface Reorganisations {
  /**
   * Reads on until everything is known that was committed before the call: up to the high watermark of its beginning.
   * A revert and the record that tells of it are committed together, so whoever has seen the one finds the other now.
   *
   * @throws {RetryableError} `reorganisations_pending`: a transaction that is open holds them back for too long.
   * @throws {UserError} `invalid_reorganisation`
   */
  catchUp(): Promise<void>
  /**
   * What is known to be dead in a partition of a topic. The object grows, and stays until `_headrace.reorgs` is found to
   * be cut back or created anew: what it told of may be of topics that are no longer there.
   */
  of(topic: string, partition: number): DeadSeqs
}

export interface ReorganisationsOptions {
  /** A writer of the topics in question, `<lineage>/<instance>`. */
  readonly writerId: string
  /** How long to wait for open transactions, in ms. Default 5,000. */
  readonly waitMs?: number
}

const readBytes = 1 << 20
const longestWaitMs = 250

/** The partition of `_headrace.reorgs` that tells of a writer's topics. Writers that share one can share what is read. */
export const reorganisationsPartition: (writerId: string) => number = checkpointPartition

/** Nothing is read before the first `catchUp`, and then what is new. Any number of them may be under way. */
export function createReorganisations(
  queue: Queue,
  { writerId, waitMs = 5000 }: ReorganisationsOptions,
): Reorganisations {
  const place = { topic: systemTopics.reorgs, partition: reorganisationsPartition(writerId) }
  let known = new Map<string, DeadSeqs>()
  let topicId: string | undefined
  let offset: bigint | undefined
  let reading: Promise<void> | undefined

  return {
    async catchUp() {
      const read = offset
      const end = await highWatermark()
      const deadline = performance.now() + waitMs
      // The log was cut back: others may lie where it has been read.
      if (read !== undefined && read > end) startAnew()
      while ((offset ?? 0n) < end) {
        if (performance.now() > deadline) throw pending(offset ?? 0n, end)
        reading ??= readOn().finally(() => {
          reading = undefined
        })
        await reading
      }
    },
    of,
  }

  /** A queue that no connector has used yet has no reorganisations. */
  async function highWatermark(): Promise<bigint> {
    try {
      return await queue.highWatermark(place.topic, place.partition)
    } catch (error) {
      if (error instanceof UnknownTopicError) return 0n
      throw error
    }
  }

  async function readOn(): Promise<void> {
    const into = known
    try {
      const { batches, next } = await queue.read(await placeToRead(), { maxBytes: readBytes, maxWaitMs: longestWaitMs })
      if (into !== known) return
      for (const batch of batches) {
        for (const record of batch.records()) {
          const interval = readDeadInterval(record)
          if (interval) of(interval.topic, interval.partition).add(interval)
        }
      }
      offset = next
    } catch (error) {
      if (!(error instanceof PositionLostError)) throw error
      if (into === known) startAnew()
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

  function startAnew(): void {
    known = new Map()
    offset = undefined
  }

  function of(topic: string, partition: number): DeadSeqs {
    const name = `${topic}/${partition}`
    const found = known.get(name) ?? createDeadSeqs()
    known.set(name, found)
    return found
  }
}

function pending(offset: bigint, end: bigint): RetryableError {
  return new RetryableError(
    'reorganisations_pending',
    `"${systemTopics.reorgs}" can be read up to offset ${offset} of ${end}: a transaction that is open holds back what ` +
      'has been taken back. Try again when it has ended.',
  )
}
