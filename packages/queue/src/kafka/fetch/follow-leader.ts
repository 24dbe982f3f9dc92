import { setTimeout as delay } from 'node:timers/promises'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { Stopwatch } from '../../stopwatch.ts'
import { brokerErrorCodes, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { FetchedPartition } from '../connection/fetch-request.ts'
import { committedRead } from './committed-read.ts'
import { longPoll } from './fetch-from.ts'
import { explainOutOfRange, positionLost } from './position-lost.ts'

export interface FollowedPartition {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  offset: bigint
  /** Leader epoch of the batch before `offset`, −1 before the first read. */
  lastEpoch: number
  failing: Stopwatch | undefined
}

export interface LeaderAnswer {
  readonly batches: readonly RecordBatch[]
  readonly failures: readonly { readonly place: FollowedPartition; readonly error: unknown }[]
}

export async function* followLeader(
  cluster: Cluster,
  { leader, places, signal }: { leader: number; places: readonly FollowedPartition[]; signal: AbortSignal },
): AsyncGenerator<LeaderAnswer> {
  const byKey = new Map(places.map((place) => [keyOf(place), place]))
  let following = [...places]
  while (following.length > 0 && !signal.aborted) {
    const fetched = await poll(cluster, { leader, places: following, signal })
    if (fetched === undefined) return
    const answer =
      fetched instanceof Error
        ? { batches: [], failures: following.map((place) => ({ place, error: fetched })) }
        : await applyAnswer(cluster, fetched, byKey)
    yield answer
    const failed = new Set(answer.failures.map(({ place }) => place))
    if (failed.size > 0) following = following.filter((place) => !failed.has(place))
    // The broker fills its answer from the first partition on.
    if (following.length > 1) following.push(following.shift()!)
  }
}

function keyOf({ topicId, partition }: { readonly topicId: string; readonly partition: number }): string {
  return `${topicId}/${partition}`
}

/** `undefined` when the signal was aborted. A broker that throttles this client answers without records. */
async function poll(
  cluster: Cluster,
  { leader, places, signal }: { leader: number; places: readonly FollowedPartition[]; signal: AbortSignal },
): Promise<readonly FetchedPartition[] | Error | undefined> {
  const request = { maxWaitMs: longestPollMs, maxBytes: maxAnswerBytes, partitions: places }
  try {
    return await longPoll(cluster, cluster.metadata.address(leader), request, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof ThrottledError)) return error as Error
    await delay(error.throttleMs, undefined, { signal }).catch(() => {})
    return []
  }
}

const longestPollMs = 5_000
const maxAnswerBytes = 1024 * 1024

async function applyAnswer(
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
