import { Kafka, logLevel } from 'kafkajs'

/** Which node of a cluster does what now. Asked through a client that is not ours. */
export interface ClusterRoles {
  leader(topic: string, partition: number): Promise<number>
  /** The coordinator of a transactional id. */
  coordinator(transactionalId: string): Promise<number>
  /** The partition whose leader is the coordinator of a transactional id. */
  coordinatorPartition(transactionalId: string): Promise<{ readonly topic: string; readonly partition: number }>
  /** Whether every replica of these topics, and of the transactions' own, has caught up. */
  inSync(topics: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

export async function openClusterRoles(bootstrap: string): Promise<ClusterRoles> {
  const admin = new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.NOTHING }).admin()
  await admin.connect()

  async function partitions(topic: string) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return topics[0]!.partitions
  }

  async function leader(topic: string, partition: number): Promise<number> {
    return (await partitions(topic)).find(({ partitionId }) => partitionId === partition)!.leader
  }

  async function coordinatorPartition(transactionalId: string): Promise<{ topic: string; partition: number }> {
    const count = (await partitions(transactionState)).length
    return { topic: transactionState, partition: Math.abs(javaHash(transactionalId)) % count }
  }

  return {
    leader,
    async coordinator(transactionalId) {
      const { topic, partition } = await coordinatorPartition(transactionalId)
      return leader(topic, partition)
    },
    coordinatorPartition,
    async inSync(topics) {
      const all = (await Promise.all([transactionState, ...topics].map(partitions))).flat()
      return all.every(({ replicas, isr }) => isr.length === replicas.length)
    },
    close: () => admin.disconnect(),
  }
}

/** The leader of a partition of it coordinates the transactional ids whose hash leads there. */
const transactionState = '__transaction_state'

/** `String.hashCode` of Java. */
function javaHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return hash
}
