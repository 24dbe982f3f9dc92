import { setTimeout as delay } from 'node:timers/promises'
import { UnknownTopicError } from '../../errors.ts'
import type { PartitionOffset } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import { type Stopwatch, startStopwatch } from '../../stopwatch.ts'
import { isTransient } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { asQueueError, longestPause } from '../connection/retry.ts'
import { type FollowedPartition, followLeader } from './follow-leader.ts'
import { merge } from './merge.ts'
import { positionLost } from './position-lost.ts'

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
  async function watchLeaders(groups: ReadonlyMap<number, FollowedPartition[]>): Promise<void> {
    const names = [...new Set(places.map(({ topic }) => topic))]
    for (;;) {
      await delay(cluster.settings.metadataMaxAgeMs, undefined, { signal })
      const topics = await cluster.metadata.refresh(names).catch(() => undefined)
      const hasMoved = ([leader, group]: [number, FollowedPartition[]]) =>
        group.some((place) => isLedByOther(place, leader, topics?.get(place.topic)))
      if ([...groups].some(hasMoved)) return regroup.abort()
    }
  }

  try {
    const groups = new Map<number, FollowedPartition[]>()
    for (const place of places) {
      try {
        const leader = await leaderOf(cluster, place)
        groups.set(leader, [...(groups.get(leader) ?? []), place])
      } catch (error) {
        setAside(place, error)
      }
    }
    watchLeaders(groups).catch(() => {})
    const loops = [...groups].map(([leader, group]) => followLeader(cluster, { leader, places: group, signal }))
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

function isLedByOther({ topicId, partition }: FollowedPartition, leader: number, topic?: TopicMetadata): boolean {
  if (topic?.id !== topicId) return false
  const node = topic.leaders[partition]?.node ?? -1
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
