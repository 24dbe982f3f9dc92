import { Kafka, logLevel } from 'kafkajs'

/** The current leaders and coordinators of a cluster, read with kafkajs. */
export interface ClusterRoles {
  leader(topic: string, partition: number): Promise<number>
  /** The coordinator of a transactional id. */
  coordinator(transactionalId: string): Promise<number>
  /** Whether every replica of these topics and of `__transaction_state` is in sync. */
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

  return {
    leader,
    async coordinator(transactionalId) {
      const count = (await partitions(transactionState)).length
      return leader(transactionState, Math.abs(javaHash(transactionalId)) % count)
    },
    async inSync(topics) {
      const all = (await Promise.all([transactionState, ...topics].map(partitions))).flat()
      return all.every(({ replicas, isr }) => isr.length === replicas.length)
    },
    close: () => admin.disconnect(),
  }
}

/** A hash of the transactional id gives the partition, whose leader is the coordinator. */
const transactionState = '__transaction_state'

/** `String.hashCode` of Java. */
function javaHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return hash
}
