import type { PartitionOffset, ReadLimits } from '../../queue.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { brokerErrorCodes, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { fetchRequest } from '../connection/fetch-request.ts'
import { whilePolling } from '../connection/long-poll.ts'
import { type CommittedRead, committedRead } from './committed-read.ts'
import { explainOutOfRange } from './position-lost.ts'
import { topicIdOf } from './topic-id.ts'

/**
 * Reads committed batches of one partition. Without a wait it makes one request, which may yield nothing visible.
 *
 * @throws {PositionLostError}
 * @throws {UnknownTopicError}
 */
export async function read(cluster: Cluster, at: PartitionOffset, limits: ReadLimits): Promise<CommittedRead> {
  const { maxBytes, maxWaitMs = 0, signal } = limits
  const deadline = performance.now() + maxWaitMs
  let offset = at.offset
  for (;;) {
    signal?.throwIfAborted()
    const waitMs = Math.min(Math.max(0, Math.ceil(deadline - performance.now())), longestPollMs)
    const result = await readOnce(
      cluster,
      { ...at, offset },
      { maxBytes, maxWaitMs: waitMs, ...(signal && { signal }) },
    )
    if (result.batches.length > 0 || performance.now() >= deadline) return result
    offset = result.next
  }
}

/** A broker holds a request back for no longer than this: well within the request timeout. */
const longestPollMs = 5_000

async function readOnce(
  cluster: Cluster,
  at: PartitionOffset,
  { maxBytes, maxWaitMs, signal }: ReadLimits & { readonly maxWaitMs: number },
): Promise<CommittedRead> {
  const { partition, offset } = at
  return cluster.onLeader(`reading "${at.topic}"`, at, async (leader) => {
    const topicId = await topicIdOf(cluster, at)
    const fetch = async (connection: BrokerConnection): Promise<CommittedRead> => {
      const partitions = [{ topicId, partition, offset }]
      const [fetched] = await connection.request(fetchRequest, { maxWaitMs, maxBytes, partitions })
      return committedRead(fetched!, at)
    }
    try {
      if (maxWaitMs > 0) return await whilePolling(cluster, leader, signal, fetch)
      return await fetch(await cluster.connections.to(leader))
    } catch (error) {
      throw hasBrokerCode(error, brokerErrorCodes.OFFSET_OUT_OF_RANGE) ? await explainOutOfRange(cluster, at) : error
    }
  })
}
