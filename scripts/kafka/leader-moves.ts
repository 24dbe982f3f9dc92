import { setTimeout as delay } from 'node:timers/promises'
import { alterPartitionReassignmentsV0, Connection, metadataV12 } from '@platformatic/kafka'
import type { Random } from '../random.ts'
import { electLeadersRequest } from './elect-leaders-request.ts'

/** Moves leaders while every node runs: all replicas stay in sync. */
export interface LeaderMoves {
  /** Makes another replica the leader of a partition, and returns its node when the nodes report it as such. */
  move(topic: string, partition: number): Promise<number>
  close(): Promise<void>
}

/**
 * @param address - `host:port` of one node.
 * @param random - Chooses the replicas.
 */
export async function openLeaderMoves(address: string, random: Random): Promise<LeaderMoves> {
  const connection = new Connection('leader-moves')
  connection.on('error', () => {})
  const [host, port] = address.split(':')
  await connection.connect(host!, Number(port))

  async function describe(topic: string, partition: number): Promise<{ leader: number; replicas: number[] }> {
    const { topics } = await metadataV12.api.async(connection, [topic], false, false)
    const found = topics[0]!.partitions.find(({ partitionIndex }) => partitionIndex === partition)!
    return { leader: found.leaderId, replicas: found.replicaNodes }
  }

  return {
    async move(topic, partition) {
      const { leader, replicas } = await describe(topic, partition)
      const next = random.pick(replicas.filter((replica) => replica !== leader))
      const reordered = [next, ...replicas.filter((replica) => replica !== next)]
      const partitions = [{ partitionIndex: partition, replicas: reordered }]
      await alterPartitionReassignmentsV0.api.async(connection, timeoutMs, false, [{ name: topic, partitions }])
      // A replica that is not in sync is not elected.
      while ((await describe(topic, partition)).leader !== next) {
        await electLeadersRequest.async(connection, [{ topic, partitions: [partition] }], timeoutMs)
        await delay(pauseMs)
      }
      return next
    },
    close: () => connection.close(),
  }
}

const timeoutMs = 10_000
const pauseMs = 5
