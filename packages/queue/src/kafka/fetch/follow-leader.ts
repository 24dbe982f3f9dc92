import { setTimeout as delay } from 'node:timers/promises'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { Stopwatch } from '../../stopwatch.ts'
import { brokerErrorCodes, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { FetchedPartition } from '../connection/fetch-request.ts'
import { whilePolling } from '../connection/long-poll.ts'
import { committedRead } from './committed-read.ts'
import { fetchFrom } from './fetch-from.ts'
import { explainOutOfRange, positionLost } from './position-lost.ts'

/** A partition that is followed, and how far. */
export interface FollowedPartition {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  offset: bigint
  /** Leader epoch of the batch before `offset`, −1 where none was read. */
  lastEpoch: number
  /** Runs since it could not be read any more. */
  failing: Stopwatch | undefined
}

export interface LeaderAnswer {
  readonly batches: readonly RecordBatch[]
  /** Partitions that could not be read, and why. Their leader is no longer asked for them. */
  readonly failures: readonly { readonly place: FollowedPartition; readonly error: unknown }[]
}

/** Follows partitions that one broker leads, until none is left or the signal is aborted. */
export async function* followLeader(
  cluster: Cluster,
  { leader, places, signal }: { leader: number; places: readonly FollowedPartition[]; signal: AbortSignal },
): AsyncGenerator<LeaderAnswer> {
  const byKey = new Map(places.map((place) => [keyOf(place), place]))
  let turns = [...places]
  while (turns.length > 0 && !signal.aborted) {
    const fetched = await poll(cluster, { leader, places: turns, signal })
    if (fetched === undefined) return
    const answer =
      fetched instanceof Error
        ? { batches: [], failures: turns.map((place) => ({ place, error: fetched })) }
        : await takeAnswer(cluster, fetched, byKey)
    yield answer
    const failed = new Set(answer.failures.map(({ place }) => place))
    if (failed.size > 0) turns = turns.filter((place) => !failed.has(place))
    // An answer is filled from the first partition on: each comes first in turn.
    if (turns.length > 1) turns.push(turns.shift()!)
  }
}

function keyOf({ topicId, partition }: { readonly topicId: string; readonly partition: number }): string {
  return `${topicId}/${partition}`
}

/**
 * One long poll: its answer, or why there is none; `undefined` when the signal was aborted. An answer that throttles this
 * client is empty, and comes when the broker answers again.
 */
async function poll(
  cluster: Cluster,
  { leader, places, signal }: { leader: number; places: readonly FollowedPartition[]; signal: AbortSignal },
): Promise<readonly FetchedPartition[] | Error | undefined> {
  const request = { maxWaitMs: longestPollMs, maxBytes: maxAnswerBytes, partitions: places }
  try {
    return await whilePolling(cluster, cluster.metadata.address(leader), signal, (connection) =>
      fetchFrom(cluster, connection, request),
    )
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof ThrottledError)) return error as Error
    await delay(error.throttleMs, undefined, { signal }).catch(() => {})
    return []
  }
}

const longestPollMs = 5_000
const maxAnswerBytes = 1024 * 1024

/** Moves the partitions on by what was answered. */
async function takeAnswer(
  cluster: Cluster,
  answer: readonly FetchedPartition[],
  byKey: ReadonlyMap<string, FollowedPartition>,
): Promise<LeaderAnswer> {
  const batches: RecordBatch[] = []
  const failures: { place: FollowedPartition; error: unknown }[] = []
  for (const fetched of answer) {
    const place = byKey.get(keyOf(fetched))
    if (!place) continue
    try {
      if (fetched.diverges) throw await positionLost(cluster, place, 'truncated')
      if (fetched.errorCode === brokerErrorCodes.OFFSET_OUT_OF_RANGE) throw await explainOutOfRange(cluster, place)
      const read = committedRead(fetched, place)
      place.offset = read.next
      place.lastEpoch = read.lastEpoch ?? place.lastEpoch
      place.failing?.[Symbol.dispose]()
      place.failing = undefined
      batches.push(...read.batches)
    } catch (error) {
      failures.push({ place, error })
    }
  }
  return { batches, failures }
}
