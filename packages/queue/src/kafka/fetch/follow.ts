import { setTimeout as delay } from 'node:timers/promises'
import { UnknownTopicError } from '../../errors.ts'
import type { PartitionOffset, TopicPartition } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import { type Stopwatch, startStopwatch } from '../../stopwatch.ts'
import { brokerErrorCodes, isTransient, ThrottledError } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { FetchedPartition } from '../connection/fetch-request.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { asQueueError, longestPause } from '../connection/retry.ts'
import { committedRead } from './committed-read.ts'
import { longPoll } from './fetch-from.ts'
import { merge } from './merge.ts'
import { explainOutOfRange, positionLost } from './position-lost.ts'

interface FollowedPartition extends TopicPartition {
  readonly topicId: string
  offset: bigint
  /** Leader epoch of the batch before `offset`, −1 before the first read. */
  lastEpoch: number
  failing: Stopwatch | undefined
}

interface LedPartition {
  readonly place: FollowedPartition
  /** Node of the broker. */
  readonly leader: number
}

interface LeaderAnswer {
  readonly batches: readonly RecordBatch[]
  readonly failures: readonly { readonly place: FollowedPartition; readonly error: unknown }[]
}

/**
 * One loop of long polls per leader, each at most one answer ahead of the reader. If a partition cannot be read, for
 * example because its leader moves, the others are read for a moment more, then all are grouped by leader again.
 */
export async function* follow(
  cluster: Cluster,
  positions: readonly PartitionOffset[],
  signal: AbortSignal,
): AsyncGenerator<RecordBatch, void, undefined> {
  const stop = AbortSignal.any([signal, cluster.signal])
  let places: readonly FollowedPartition[] = []
  try {
    if (stop.aborted || positions.length === 0) return
    places = await identify(cluster, positions)
    while (!stop.aborted) yield* followUntilRegrouped(cluster, places, stop)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    for (const { failing } of places) failing?.[Symbol.dispose]()
  }
}

async function identify(cluster: Cluster, positions: readonly PartitionOffset[]): Promise<FollowedPartition[]> {
  const names = [...new Set(positions.map(({ topic }) => topic))]
  const topics = await cluster.onAny('following', () => cluster.metadata.fetch(names))
  const places: FollowedPartition[] = []
  for (const at of positions) {
    const { topic, partition, offset } = at
    const topicId = topics.get(topic)?.id
    if (topicId === undefined) throw new UnknownTopicError(topic)
    if (at.topicId !== undefined && at.topicId !== topicId) throw await positionLost(cluster, at, 'recreated')
    places.push({ topic, topicId, partition, offset, lastEpoch: -1, failing: undefined })
  }
  return places
}

async function* followUntilRegrouped(
  cluster: Cluster,
  places: readonly FollowedPartition[],
  stop: AbortSignal,
): AsyncGenerator<RecordBatch> {
  const regroup = new AbortController()
  const signal = AbortSignal.any([stop, regroup.signal])
  let pause: Promise<void> | undefined

  function setAside(place: FollowedPartition, error: unknown): void {
    const failing = recordFailure(cluster, place, error)
    pause ??= delay(Math.max(pauseMs, longestPause(failing.elapsedMs)), undefined, { signal }).then(
      () => regroup.abort(),
      () => {},
    )
  }

  /** A replaced leader that is cut off answers Fetch without an error and without records. */
  async function watchLeaders(led: readonly LedPartition[]): Promise<void> {
    const names = [...new Set(places.map(({ topic }) => topic))]
    for (;;) {
      await delay(cluster.settings.metadataMaxAgeMs, undefined, { signal })
      const topics = await cluster.metadata.refresh(names).catch(() => undefined)
      if (led.some((one) => hasMoved(one, topics?.get(one.place.topic)))) return regroup.abort()
    }
  }

  try {
    const led: LedPartition[] = []
    for (const place of places) {
      try {
        led.push({ place, leader: await leaderOf(cluster, place) })
      } catch (error) {
        setAside(place, error)
      }
    }
    watchLeaders(led).catch(() => {})
    const groups = Map.groupBy(led, ({ leader }) => leader).values()
    const loops = Array.from(groups, (group) => followLeader(cluster, group, signal))
    for await (const { batches, failures } of merge(loops)) {
      for (const batch of batches) {
        if (stop.aborted) return
        yield batch
      }
      for (const { place, error } of failures) setAside(place, error)
    }
    await pause
  } finally {
    regroup.abort()
  }
}

function hasMoved({ place, leader }: LedPartition, topic: TopicMetadata | undefined): boolean {
  if (topic?.id !== place.topicId) return false
  const node = topic.leaders[place.partition]?.node ?? -1
  return node >= 0 && node !== leader
}

const pauseMs = 100

async function leaderOf(cluster: Cluster, place: FollowedPartition): Promise<number> {
  const { node } = await cluster.metadata.leader(place.topic, place.partition)
  const topicId = cluster.metadata.topicId(place.topic)
  if (place.failing && topicId !== undefined && topicId !== place.topicId) {
    throw await positionLost(cluster, place, 'recreated')
  }
  return node
}

function recordFailure(cluster: Cluster, place: FollowedPartition, error: unknown): Stopwatch {
  const what = `following "${place.topic}" partition ${place.partition}`
  place.failing ??= startStopwatch()
  if (!isTransient(error) || place.failing.elapsedMs > cluster.settings.budgetMs) {
    throw asQueueError(error, what, cluster.principal)
  }
  cluster.metadata.forget(place.topic)
  return place.failing
}

/** Ends when the signal is aborted, or each partition has failed. */
async function* followLeader(
  cluster: Cluster,
  led: readonly LedPartition[],
  signal: AbortSignal,
): AsyncGenerator<LeaderAnswer> {
  const { leader } = led[0]!
  let places = led.map(({ place }) => place)
  const byKey = new Map(places.map((place) => [keyOf(place), place]))
  while (places.length > 0 && !signal.aborted) {
    let answer: LeaderAnswer = { batches: [], failures: [] }
    try {
      const request = { maxWaitMs: longestPollMs, maxBytes: maxAnswerBytes, partitions: places }
      const fetched = await longPoll(cluster, cluster.metadata.address(leader), request, signal)
      answer = await apply(fetched)
    } catch (error) {
      if (signal.aborted) return
      // A broker that throttles this client answers without records.
      if (error instanceof ThrottledError) await delay(error.throttleMs, undefined, { signal }).catch(() => {})
      else answer = { batches: [], failures: places.map((place) => ({ place, error })) }
    }
    yield answer
    const failed = new Set(answer.failures.map(({ place }) => place))
    if (failed.size > 0) places = places.filter((place) => !failed.has(place))
    // The broker fills its answer from the first partition on.
    if (places.length > 1) places.push(places.shift()!)
  }

  async function apply(answer: readonly FetchedPartition[]): Promise<LeaderAnswer> {
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
}

function keyOf({ topicId, partition }: { readonly topicId: string; readonly partition: number }): string {
  return `${topicId}/${partition}`
}

const longestPollMs = 5_000
const maxAnswerBytes = 1024 * 1024
