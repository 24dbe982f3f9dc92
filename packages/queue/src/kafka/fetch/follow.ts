import { setTimeout as delay } from 'node:timers/promises'
import type { PartitionOffset } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { Cluster } from '../connection/cluster.ts'
import { groupByLeader } from '../connection/leaders.ts'
import { asQueueError } from '../connection/retry.ts'
import { type FollowedPartition, followLeader, type LeaderAnswer } from './follow-leader.ts'
import { merge } from './merge.ts'

/**
 * Yields committed batches as they become visible: one loop of long polls for each leader, grouped anew when
 * leadership moves. Each loop is at most one answer ahead of who walks.
 *
 * @throws {PositionLostError}
 * @throws {QueueUnavailableError} a leader could not be read from for as long as the budget.
 */
export async function* follow(
  cluster: Cluster,
  positions: readonly PartitionOffset[],
  signal: AbortSignal,
): AsyncGenerator<RecordBatch, void, undefined> {
  const places: FollowedPartition[] = positions.map(({ topic, partition, offset }) => ({ topic, partition, offset }))
  const stop = AbortSignal.any([signal, cluster.signal])
  let failingSince: number | undefined
  try {
    while (!stop.aborted && places.length > 0) {
      const groups = await cluster.retry('following', () => groupByLeader(cluster, places))
      for await (const answer of followGroups(cluster, groups, stop)) {
        if (answer.failure === undefined) {
          failingSince = undefined
          yield* answer.batches
          continue
        }
        failingSince ??= performance.now()
        const failingMs = performance.now() - failingSince
        if (failingMs > cluster.settings.budgetMs) throw asQueueError(answer.failure, 'following')
        for (const { topic } of places) cluster.metadata.forget(topic)
      }
      if (failingSince !== undefined) await delay(pauseMs, undefined, { signal: stop }).catch(() => {})
    }
  } catch (error) {
    if (!stop.aborted) throw error
  }
}

const pauseMs = 100

/** Ends with the first failure of one loop, after the answers that the others have received. */
async function* followGroups(
  cluster: Cluster,
  groups: ReadonlyMap<number, FollowedPartition[]>,
  signal: AbortSignal,
): AsyncGenerator<LeaderAnswer> {
  const regroup = new AbortController()
  const until = AbortSignal.any([signal, regroup.signal])
  const loops = [...groups].map(([leader, places]) => followLeader(cluster, { leader, places, signal: until }))
  try {
    for await (const answer of merge(loops)) {
      if (answer.failure !== undefined) regroup.abort()
      yield answer
    }
  } finally {
    regroup.abort()
  }
}
