import {
  type NewRecord,
  type PartitionOffset,
  PositionLostError,
  type Queue,
  type QueueRecord,
  RetryableError,
  UnknownTopicError,
  UserError,
} from '@headrace/queue'
import { checkpointPartition } from '../checkpoint/checkpoint.ts'
import { systemTopics } from '../system-topics/system-topics.ts'
import { createRevertedSeqs, type RevertedSeqs, type SeqInterval } from './reverted-seqs.ts'

/** Reverted records, from one partition of `_headrace.reorgs`. */
export interface Reorganisations {
  /**
   * Reads all that was committed before the call. A revert and its reorganisation are in the same transaction.
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
  /** Longest wait for open transactions. Default: 5,000. */
  readonly waitMs?: number
}

const readBytes = 1 << 20
const longestWaitMs = 250

/** Writers with the same partition can share one reader. */
export const reorganisationsPartition: (writerId: string) => number = checkpointPartition

/** Calls of `catchUp` may overlap. */
export function createReorganisations(queue: Queue, options: ReorganisationsOptions): Reorganisations {
  const { writerId, waitMs = 5000 } = options
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

/** In `_headrace.reorgs`: from the first reverted record to the last revert record. The union of all is reverted. */
export interface Reorganisation extends SeqInterval {
  readonly topic: string
  readonly partition: number
  readonly unit: number
}

/** A wider reorganisation with the same first seq replaces it. */
export function reorganisationRecord(writerId: string, interval: Reorganisation): NewRecord {
  const { topic, partition, first } = interval
  return {
    topic: systemTopics.reorgs,
    partition: checkpointPartition(writerId),
    key: Buffer.from(`${topic}/${partition}/${first}`),
    value: Buffer.from(JSON.stringify(interval)),
    time: Date.now(),
  }
}

/**
 * `undefined` for a tombstone.
 *
 * @throws {UserError} `invalid_reorganisation`
 */
export function readReorganisation({ value }: Pick<QueueRecord, 'value'>): Reorganisation | undefined {
  if (value === null) return undefined
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
  try {
    const { topic, partition, first, last, unit } = JSON.parse(text) as Record<string, unknown>
    if (typeof topic === 'string' && [partition, first, last, unit].every(Number.isSafeInteger)) {
      return { topic, partition, first, last, unit } as Reorganisation
    }
  } catch {}
  throw new UserError(
    'invalid_reorganisation',
    `A record of "${systemTopics.reorgs}" cannot be read: ${text.slice(0, 200)}. ` +
      'Another version of the connector runtime wrote it: use that version, or a newer one.',
  )
}
