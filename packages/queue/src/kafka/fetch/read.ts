import { UnknownTopicError } from '../../errors.ts'
import type { PartitionOffset, ReadLimits, ReadResult } from '../../queue.ts'
import { catchUp } from '../admin/list-offsets.ts'
import { BrokerError, brokerErrorCodes, hasBrokerCode } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { type CommittedRead, committedRead } from './committed-read.ts'
import { fetchFrom, longPoll } from './fetch-from.ts'
import { explainOutOfRange, positionLost } from './position-lost.ts'

/**
 * An empty answer to Fetch proves nothing: a leader that was just elected, or throttles the client, sends one too. So
 * only answers of a leader that has caught up count.
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
    // Skips a long series of aborted transactions in larger steps.
    if (page.next > offset) maxBytes = Math.max(maxBytes, Math.min(Math.max(maxBytes * 4, 64 * 1024), 1024 * 1024))
    offset = page.next
  }
}

const longestPollMs = 5_000
/** Fetch has its own connection, because a broker that throttles it answers nothing else on the connection. */
const lane = 'fetch'

async function readPage(cluster: Cluster, at: PartitionOffset, limits: ReadLimits): Promise<CommittedRead> {
  const { topic, partition, offset } = at
  const { maxBytes, maxWaitMs = 0, signal } = limits
  return cluster.onLeader(`reading "${topic}"`, at, async (leader) => {
    const topicId = await topicIdOf(cluster, at)
    await catchUp(leader, at)
    const partitions = [{ topicId, partition, offset, leaderEpoch: leader.term.epoch }]
    const request = { maxWaitMs, maxBytes, partitions }
    try {
      const [fetched] =
        maxWaitMs > 0
          ? await longPoll(cluster, leader.address, request, signal)
          : await fetchFrom(cluster, await leader.connect(lane), request)
      const page = committedRead(fetched!, at)
      if (page.next > offset || page.next === page.end) return page
    } catch (error) {
      throw hasBrokerCode(error, brokerErrorCodes.OFFSET_OUT_OF_RANGE) ? await explainOutOfRange(cluster, at) : error
    }
    // Records became visible while the broker made the answer.
    throw new BrokerError(brokerErrorCodes.OFFSET_NOT_AVAILABLE, `reading "${topic}" partition ${partition}`)
  })
}

/** For this id a broker answers for no other topic of the same name (KIP-516). */
async function topicIdOf(cluster: Cluster, at: PartitionOffset): Promise<string> {
  const { metadata } = cluster
  const { topic, topicId: wanted } = at
  let found = metadata.topicId(topic)
  // The cached id may be the older of the two.
  if (found === undefined || (wanted !== undefined && found !== wanted)) {
    found = (await metadata.fetch([topic])).get(topic)?.id
  }
  if (found === undefined) throw new UnknownTopicError(topic)
  if (wanted !== undefined && found !== wanted) throw await positionLost(cluster, at, 'recreated')
  return found
}

function firstBytes(page: CommittedRead, maxBytes: number): ReadResult {
  const { batches, end } = page
  let bytes = 0
  const cut = batches.findIndex(({ byteLength }, index) => {
    bytes += byteLength
    return index > 0 && bytes > maxBytes
  })
  return cut < 0 ? page : { batches: batches.slice(0, cut), next: batches[cut - 1]!.nextOffset, end }
}
