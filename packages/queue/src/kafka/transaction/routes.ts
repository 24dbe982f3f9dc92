import type { BrokerConnection } from '../connection/broker-connection.ts'
import type { Cluster } from '../connection/cluster.ts'
import { forgettingLeaders, groupByLeader } from '../connection/leaders.ts'
import type { OutgoingBatch } from './outgoing-batch.ts'
import type { TopicIdentity } from './topic-identity.ts'

/** Batches that go to one leader. */
export interface Route {
  readonly connection: BrokerConnection
  readonly batches: readonly OutgoingBatch[]
}

/**
 * Finds the leaders of batches and connects to them. Nothing is sent yet, so that this can be tried again.
 *
 * @throws {UnknownTopicError} a partition does not exist.
 * @throws {TopicMismatchError} a topic was deleted and created again.
 */
export function findRoutes(
  cluster: Cluster,
  { batches, identity, lane }: { batches: readonly OutgoingBatch[]; identity: TopicIdentity; lane: string },
): Promise<Route[]> {
  return cluster.retry('producing', () =>
    forgettingLeaders(cluster, batches, async () => {
      const groups = [...(await groupByLeader(cluster, batches))]
      for (const { topic } of batches) identity.check(topic)
      return Promise.all(
        groups.map(async ([leader, batches]) => {
          const connection = await cluster.connections.to(cluster.metadata.address(leader), lane)
          return { connection, batches }
        }),
      )
    }),
  )
}
