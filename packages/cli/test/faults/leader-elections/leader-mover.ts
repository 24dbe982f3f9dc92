import { alterPartitionReassignmentsV0, Connection, metadataV12 } from '@platformatic/kafka'
import { electLeadersRequest, type TopicPartitions } from '../../../../testbed/kafka/elect-leaders-request.ts'
import type { Random } from '../../../../testbed/random.ts'

export interface LeaderMoverOptions {
  readonly address: string
  readonly partitions: readonly TopicPartitions[]
  readonly random: Random
  /** Called for each partition whose leader has changed. */
  onElection(topic: string): void
}

/**
 * Makes another replica the preferred one of a partition, and elects the preferred leader. No node stops, so a
 * partition always has a leader and all its replicas stay in sync.
 */
export interface LeaderMover {
  /**
   * With `others`, also moves the leader of one partition of each other topic. Resolves when the controller has decided
   * it, which is before the nodes act on it.
   */
  move(topic: string, options: { readonly others: boolean }): Promise<void>
  close(): Promise<void>
}

interface PartitionState {
  readonly topic: string
  readonly partition: number
  readonly leader: number
  readonly replicas: readonly number[]
}

export async function openLeaderMover(options: LeaderMoverOptions): Promise<LeaderMover> {
  const { address, partitions, random, onElection } = options
  const connection = new Connection('leader-mover')
  connection.on('error', () => {})
  const [host, port] = address.split(':')
  await connection.connect(host!, Number(port))
  let states = await describe(connection, partitions)

  async function refresh(): Promise<void> {
    const before = new Map(states.map((state) => [`${state.topic}/${state.partition}`, state.leader]))
    states = await describe(connection, partitions)
    for (const { topic, partition, leader } of states)
      if (before.get(`${topic}/${partition}`) !== leader) onElection(topic)
  }

  return {
    async move(topic, { others }) {
      await refresh()
      const chosen = [...Map.groupBy(states, (state) => state.topic)].flatMap(([name, list]) => {
        if (name === topic) return list
        return others ? [random.pick(list)] : []
      })
      await move(connection, chosen, random)
    },
    async close() {
      await refresh()
      await connection.close()
    },
  }
}

const timeoutMs = 10_000

async function describe(connection: Connection, wanted: readonly TopicPartitions[]): Promise<PartitionState[]> {
  const names = wanted.map(({ topic }) => topic)
  const { topics } = await metadataV12.api.async(connection, names, false, false)
  return wanted.flatMap(({ topic, partitions }) => {
    const found = topics.find(({ name }) => name === topic)!.partitions
    return partitions.map((partition) => {
      const { leaderId, replicaNodes } = found.find(({ partitionIndex }) => partitionIndex === partition)!
      return { topic, partition, leader: leaderId, replicas: replicaNodes }
    })
  })
}

async function move(connection: Connection, states: readonly PartitionState[], random: Random): Promise<void> {
  const byTopic = [...Map.groupBy(states, ({ topic }) => topic)]
  const reassigned = byTopic.map(([name, states]) => ({
    name,
    partitions: states.map(({ partition, leader, replicas }) => {
      const others = replicas.filter((replica) => replica !== leader)
      const first = random.pick(others)
      return { partitionIndex: partition, replicas: [first, ...replicas.filter((replica) => replica !== first)] }
    }),
  }))
  await alterPartitionReassignmentsV0.api.async(connection, timeoutMs, false, reassigned)
  const elected = byTopic.map(([topic, states]) => ({ topic, partitions: states.map(({ partition }) => partition) }))
  // A replica that is not in sync is not elected.
  await electLeadersRequest.async(connection, elected, timeoutMs)
}
