import { UnknownTopicError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { NoAnswerError } from './broker-error.ts'
import type { Cluster } from './cluster.ts'
import { enoughOf } from './enough-of.ts'

/**
 * Makes sure that the leader of a partition, as far as known, is not older than this call. A broker that is cut off from
 * the others and was replaced still takes itself for the leader, and answers with what it had.
 *
 * At least half of the replicas have to answer. Where `min.insync.replicas` is more than half of them, one of those
 * that answer knows the term of whatever is committed.
 *
 * @throws {QueueUnavailableError} too few replicas answer.
 * @throws {UnknownTopicError}
 */
export function confirmLeader(cluster: Cluster, { topic, partition }: TopicPartition): Promise<void> {
  return cluster.retry(`confirming the leader of "${topic}" partition ${partition}`, async () => {
    const { metadata, connections } = cluster
    const found = (await metadata.fetch([topic])).get(topic)
    if (!found) throw new UnknownTopicError(topic)
    const term = found.leaders[partition]
    if (!term) throw new UnknownTopicError(topic, partition)
    const needed = Math.ceil(term.replicas.length / 2)
    const asked = term.replicas.map(async (node) => {
      await metadata.fetch([topic], await connections.to(metadata.address(node)))
      return true
    })
    if (!(await enoughOf(needed, asked)))
      throw new NoAnswerError(`fewer than ${needed} of ${term.replicas.length} replicas answered`)
  })
}
