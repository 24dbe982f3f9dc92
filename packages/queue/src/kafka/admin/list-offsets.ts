import type { PartitionBounds, TopicPartition } from '../../queue.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { checkAnswer, NoAnswerError } from '../connection/broker-error.ts'
import { type Cluster, forgetLeadersOnFailure, type Leader } from '../connection/cluster.ts'
import type { Leadership } from '../connection/metadata.ts'
import { listOffsetsV7 } from '../connection/requests.ts'

/** `lastStable`: the end for readers. `highWatermark`: the end of replicated records, even of open transactions. */
export type OffsetBound = 'earliest' | 'lastStable' | 'highWatermark'

export async function listOffset(cluster: Cluster, place: TopicPartition, bound: OffsetBound): Promise<bigint> {
  const [offset] = await listOffsets(cluster, [place], bound)
  return offset!
}

export async function listBounds(cluster: Cluster, places: readonly TopicPartition[]): Promise<PartitionBounds[]> {
  const [earliest, ends] = await Promise.all([
    listOffsets(cluster, places, 'earliest'),
    listOffsets(cluster, places, 'lastStable'),
  ])
  return earliest.map((offset, index) => ({ earliest: offset, end: ends[index]! }))
}

export async function boundsOf(cluster: Cluster, place: TopicPartition): Promise<PartitionBounds> {
  const [bounds] = await listBounds(cluster, [place])
  return bounds!
}

export function listOffsets(
  cluster: Cluster,
  places: readonly TopicPartition[],
  bound: OffsetBound,
): Promise<bigint[]> {
  return cluster.retry('listing offsets', () =>
    forgetLeadersOnFailure(cluster.metadata, places, async () => {
      const led: LedPartition[] = []
      for (const { topic, partition } of places)
        led.push({ topic, partition, term: await cluster.metadata.leader(topic, partition) })
      const answers = [...Map.groupBy(led, ({ term }) => term.node)].map(async ([node, ofNode]) => {
        const connection = await cluster.connections.to(cluster.metadata.address(node))
        return [...(await requestOffsets(connection, ofNode, bound))]
      })
      const offsets = new Map((await Promise.all(answers)).flat())
      return places.map((place) => offsets.get(keyOf(place))!)
    }),
  )
}

/** A leader refuses ListOffsets until it has caught up (OFFSET_NOT_AVAILABLE, KIP-207). One answer holds for its term. */
export async function catchUp({ term, connect }: Leader, { topic, partition }: TopicPartition): Promise<void> {
  if (!term.caughtUp) await requestOffsets(await connect(), [{ topic, partition, term }], 'lastStable')
}

interface LedPartition extends TopicPartition {
  readonly term: Leadership
}

async function requestOffsets(
  connection: BrokerConnection,
  places: readonly LedPartition[],
  bound: OffsetBound,
): Promise<Map<string, bigint>> {
  const isolation = bound === 'lastStable' ? readCommitted : readUncommitted
  const timestamp = bound === 'earliest' ? earliestTimestamp : latestTimestamp
  const byTopic = Map.groupBy(places, ({ topic }) => topic)
  const topics = Array.from(byTopic, ([name, ofTopic]) => ({
    name,
    partitions: ofTopic.map(({ partition: partitionIndex, term }) => {
      return { partitionIndex, currentLeaderEpoch: term.epoch, timestamp }
    }),
  }))
  const answer = await connection.request(listOffsetsV7.api, -1, isolation, topics)
  const offsets = new Map<string, bigint>()
  for (const { name: topic, partitions } of answer.topics) {
    for (const { partitionIndex: partition, errorCode, offset } of partitions) {
      checkAnswer(errorCode, `offset of "${topic}" partition ${partition}`, { request: 'ListOffsets', topic })
      offsets.set(keyOf({ topic, partition }), offset)
    }
  }
  for (const place of places) {
    if (!offsets.has(keyOf(place)))
      throw new NoAnswerError(`no offset of "${place.topic}" partition ${place.partition}`)
    if (bound !== 'earliest') place.term.caughtUp = true
  }
  return offsets
}

const readUncommitted = 0
const readCommitted = 1
const latestTimestamp = -1n
const earliestTimestamp = -2n

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}
