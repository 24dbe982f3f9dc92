import type { PartitionOffset, ReadLimits, ReadResult } from '../../queue.ts'
import { catchUp } from '../admin/list-offsets.ts'
import { BrokerError, brokerErrorCodes, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { whilePolling } from '../connection/long-poll.ts'
import { type CommittedRead, committedRead } from './committed-read.ts'
import { fetchFrom } from './fetch-from.ts'
import { explainOutOfRange } from './position-lost.ts'
import { topicIdOf } from './topic-id.ts'

/**
 * Reads committed batches of one partition: at least one, or the proof that there is none.
 *
 * An empty answer to Fetch proves nothing by itself. A leader that was just elected answers so until its high watermark
 * has caught up, and a broker that throttles its clients answers for no partition at all. So an answer counts only from
 * a leader that has caught up in its term, and what is not visible, aborted records and markers, is passed over here.
 *
 * @throws {PositionLostError}
 * @throws {UnknownTopicError}
 */
export async function read(cluster: Cluster, at: PartitionOffset, limits: ReadLimits): Promise<ReadResult> {
  const { maxWaitMs = 0, signal } = limits
  const deadline = performance.now() + maxWaitMs
  let { offset } = at
  let { maxBytes } = limits
  for (;;) {
    signal?.throwIfAborted()
    const waitMs = Math.min(Math.max(0, Math.ceil(deadline - performance.now())), longestPollMs)
    const page = await readPage(cluster, { ...at, offset }, { maxBytes, maxWaitMs: waitMs, ...(signal && { signal }) })
    if (page.batches.length > 0) return firstBytes(page, limits.maxBytes)
    if (page.next === page.end && performance.now() >= deadline) return page
    // What is not visible is long where one transaction was aborted after the other.
    if (page.next > offset) maxBytes = Math.max(maxBytes, Math.min(Math.max(maxBytes * 4, 64 * 1024), 1024 * 1024))
    offset = page.next
  }
}

/** A broker holds a request back for no longer than this: well within the request timeout. */
const longestPollMs = 5_000
/** Connections of their own: a broker leaves all that is asked over one unanswered while it throttles it. */
const lane = 'fetch'

async function readPage(
  cluster: Cluster,
  at: PartitionOffset,
  { maxBytes, maxWaitMs, signal }: ReadLimits & { readonly maxWaitMs: number },
): Promise<CommittedRead> {
  const { topic, partition, offset } = at
  return cluster.onLeader(`reading "${topic}"`, at, async (leader) => {
    const topicId = await topicIdOf(cluster, at)
    await catchUp(leader, at)
    const partitions = [{ topicId, partition, offset, leaderEpoch: leader.term.epoch }]
    const request = { maxWaitMs, maxBytes, partitions }
    try {
      const [fetched] =
        maxWaitMs > 0
          ? await whilePolling(cluster, leader.address, signal, (connection) => fetchFrom(cluster, connection, request))
          : await fetchFrom(cluster, await leader.connect(lane), request)
      const page = committedRead(fetched!, at)
      if (page.next > offset || page.next === page.end) return page
    } catch (error) {
      throw hasBrokerCode(error, brokerErrorCodes.OFFSET_OUT_OF_RANGE) ? await explainOutOfRange(cluster, at) : error
    }
    // Records became visible while the answer was made.
    throw new BrokerError(brokerErrorCodes.OFFSET_NOT_AVAILABLE, `reading "${topic}" partition ${partition}`)
  })
}

/** The batches that fit into the limit, at least one. */
function firstBytes(page: CommittedRead, maxBytes: number): ReadResult {
  const { batches, end } = page
  let bytes = 0
  let count = 0
  for (const { byteLength } of batches) {
    bytes += byteLength
    if (count > 0 && bytes > maxBytes) break
    count++
  }
  if (count === batches.length) return page
  return { batches: batches.slice(0, count), next: batches[count - 1]!.nextOffset, end }
}
