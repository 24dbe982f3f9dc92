import { PositionLostError, type Queue, RetryableError, UnknownTopicError } from '@headrace/queue'
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
  /** What is known to be dead in a partition of a topic. The object stays and grows. */
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
  const known = new Map<string, DeadSeqs>()
  let offset: bigint | undefined
  let reading: Promise<void> | undefined

  return {
    async catchUp() {
      const deadline = performance.now() + waitMs
      const end = await highWatermark()
      // The log was cut back: others may lie where it has been read.
      if (offset !== undefined && offset > end) offset = undefined
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
    offset ??= await earliest()
    try {
      const { batches, next } = await queue.read(
        { ...place, offset },
        { maxBytes: readBytes, maxWaitMs: longestWaitMs },
      )
      for (const batch of batches) {
        for (const record of batch.records()) {
          const interval = readDeadInterval(record)
          if (interval) of(interval.topic, interval.partition).add(interval)
        }
      }
      offset = next
    } catch (error) {
      if (!(error instanceof PositionLostError)) throw error
      // The topic was created anew, or its log cut back. What is dead stays so.
      offset = error.earliest
    }
  }

  async function earliest(): Promise<bigint> {
    const [topic] = await queue.describe([place.topic])
    return topic?.partitions[place.partition]?.earliest ?? 0n
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
