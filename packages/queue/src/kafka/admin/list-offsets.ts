import { checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { forgettingLeaders, groupByLeader } from '../connection/leaders.ts'
import { listOffsetsRequest } from '../connection/requests.ts'

/**
 * Which end of a partition: the first offset kept; the last stable one, up to which readers of committed records read;
 * the high watermark, up to which records are replicated, those of open transactions included.
 */
export type OffsetBound = 'earliest' | 'lastStable' | 'highWatermark'

interface Place {
  readonly topic: string
  readonly partition: number
}

/** @throws {UnknownTopicError} */
export async function listOffset(cluster: Cluster, place: Place, bound: OffsetBound): Promise<bigint> {
  const [offset] = await listOffsets(cluster, [place], bound)
  return offset!
}

/**
 * One bound of several partitions, in their order.
 *
 * @throws {UnknownTopicError}
 */
export function listOffsets(cluster: Cluster, places: readonly Place[], bound: OffsetBound): Promise<bigint[]> {
  return cluster.retry('listing offsets', () =>
    forgettingLeaders(cluster, places, async () => {
      const groups = await groupByLeader(cluster, places)
      const offsets = new Map<string, bigint>()
      await Promise.all([...groups].map(([leader, group]) => askLeader(cluster, { leader, group, bound, offsets })))
      return places.map((place) => offsets.get(keyOf(place))!)
    }),
  )
}

async function askLeader(
  cluster: Cluster,
  {
    leader,
    group,
    bound,
    offsets,
  }: { leader: number; group: Place[]; bound: OffsetBound; offsets: Map<string, bigint> },
): Promise<void> {
  const connection = await cluster.connections.to(cluster.metadata.address(leader))
  const isolation = bound === 'lastStable' ? readCommitted : readUncommitted
  const timestamp = bound === 'earliest' ? earliestTimestamp : latestTimestamp
  const topics = Map.groupBy(group, ({ topic }) => topic)
  const answer = await connection.request(
    listOffsetsRequest,
    -1,
    isolation,
    [...topics].map(([name, places]) => ({
      name,
      partitions: places.map(({ partition }) => ({ partitionIndex: partition, currentLeaderEpoch: -1, timestamp })),
    })),
  )
  for (const { name: topic, partitions } of answer.topics) {
    for (const { partitionIndex: partition, errorCode, offset } of partitions) {
      checkAnswer(errorCode, `offset of "${topic}" partition ${partition}`, { request: 'ListOffsets', topic })
      offsets.set(keyOf({ topic, partition }), offset)
    }
  }
}

const readUncommitted = 0
const readCommitted = 1
const latestTimestamp = -1n
const earliestTimestamp = -2n

function keyOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`
}
