import { randomUUID } from 'node:crypto'
import type { Queue } from '../../src/index.ts'
import type { BrokerConnection } from '../../src/kafka/connection/broker-connection.ts'
import { brokerErrorCodes as codes } from '../../src/kafka/connection/broker-error.ts'
import { type ClusterOptions, createCluster } from '../../src/kafka/connection/cluster.ts'
import type { Connections } from '../../src/kafka/connection/connections.ts'
import type { FetchAnswer, FetchArguments } from '../../src/kafka/connection/fetch-request.ts'
import { defaultKafkaSettings, type KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import type { ProduceAnswer, ProduceArguments } from '../../src/kafka/connection/produce-request.ts'
import { plaintextSecurity } from '../../src/kafka/connection/security/security.ts'
import { openKafkaQueue } from '../../src/kafka/kafka-queue.ts'
import { batchLayout } from '../../src/record-batch/layout.ts'
import { viewBatch } from '../../src/record-batch/stored-batch.ts'

/** API keys of the requests that the fake brokers answer. */
export const apiKeys = {
  produce: 0,
  fetch: 1,
  listOffsets: 2,
  metadata: 3,
  apiVersions: 18,
  createTopics: 19,
  deleteRecords: 21,
  initProducerId: 22,
  describeConfigs: 32,
} as const

/** Three brokers in memory with non-transactional records, for answers that a real broker gives only rarely. */
export interface FakeCluster {
  openQueue(settings?: Partial<KafkaSettings>): Promise<Queue>
  /** The one partition of a topic. */
  partition(topic: string): FakePartition
  deleteTopic(topic: string): void
  createTopic(topic: string): void
  /** Calls a function once, after the next answer to an API has been made. */
  afterNext(apiKey: number, then: () => void): void
  /** Throttles the client in the next answers to Fetch. */
  throttle(answers: number, throttleMs: number): void
  /** Number of requests of an API. */
  requests(apiKey: number): number
}

export interface FakePartition {
  readonly topicId: string
  leader: number
  epoch: number
  /** Records before it were removed. */
  logStart: bigint
  /** The offset after the last record. */
  readonly end: bigint
  /** Elects the other broker. Its high watermark stays at this offset for a number of requests about the partition. */
  elect(behind: { readonly highWatermark: bigint; readonly requests: number }): void
  /** Elects the other broker. The current leader is cut off and still acts as leader. */
  cutOffLeader(): void
}

/** The state of a partition on one broker. */
interface View {
  readonly leader: number
  readonly epoch: number
  readonly end: bigint
}

interface Partition extends FakePartition {
  end: bigint
  readonly batches: Uint8Array[]
  lag: { readonly highWatermark: bigint; requests: number } | undefined
  /** The outdated state of a leader that was cut off. */
  cutOff: View | undefined
}

export function createFakeCluster(): FakeCluster {
  const topics = new Map<string, Partition>()
  const followUps: { readonly apiKey: number; readonly then: () => void }[] = []
  const counts = new Map<number, number>()
  let throttled = { answers: 0, throttleMs: 0 }

  function createTopic(name: string): void {
    topics.set(name, {
      topicId: randomUUID(),
      leader: 1,
      epoch: 0,
      logStart: 0n,
      end: 0n,
      batches: [],
      lag: undefined,
      cutOff: undefined,
      cutOffLeader() {
        const { leader, epoch, end } = this
        this.cutOff = { leader, epoch, end }
        this.leader = 3 - leader
        this.epoch++
      },
      elect(lag) {
        this.leader = 3 - this.leader
        this.epoch++
        this.lag = { ...lag }
      },
    })
  }

  function viewOf(node: number, partition: Partition): View {
    return partition.cutOff?.leader === node ? partition.cutOff : partition
  }

  /** The high watermark on a leader. */
  function highWatermark(node: number, partition: Partition): bigint {
    const { lag, cutOff } = partition
    if (cutOff?.leader === node) return cutOff.end
    if (!lag) return partition.end
    if (lag.requests-- > 0) return lag.highWatermark
    partition.lag = undefined
    return partition.end
  }

  function leaderError(partition: Partition | undefined, node: number, epoch: number): number {
    if (!partition) return codes.UNKNOWN_TOPIC_OR_PARTITION
    const view = viewOf(node, partition)
    if (view.leader !== node) return codes.NOT_LEADER_OR_FOLLOWER
    if (epoch >= 0 && epoch < view.epoch) return codes.FENCED_LEADER_EPOCH
    if (epoch > view.epoch) return codes.UNKNOWN_LEADER_EPOCH
    return codes.NONE
  }

  const handlers: Readonly<Record<number, (node: number, ...args: never[]) => unknown>> = {
    [apiKeys.apiVersions]: () => ({
      errorCode: 0,
      apiKeys: [{ apiKey: 24, minVersion: 0, maxVersion: 5 }],
      finalizedFeatures: [{ name: 'transaction.version', maxVersionLevel: 2, minVersionLevel: 2 }],
    }),
    [apiKeys.describeConfigs]: (_, resources: { resourceType: number; resourceName: string }[]) => ({
      results: resources.map(({ resourceName }) => ({ resourceName, errorCode: 0, errorMessage: null, configs: [] })),
    }),
    [apiKeys.metadata]: (node, names: string[] | null) => ({
      brokers: [1, 2, 3].map((nodeId) => ({ nodeId, host: 'fake', port: nodeId })),
      topics: (names ?? [...topics.keys()]).map((name) => {
        const found = topics.get(name)
        if (!found) return { errorCode: codes.UNKNOWN_TOPIC_OR_PARTITION, name, partitions: [] }
        const { leader: leaderId, epoch: leaderEpoch } = viewOf(node, found)
        const partitions = [{ partitionIndex: 0, leaderId, leaderEpoch, replicaNodes: [1, 2, 3] }]
        return { errorCode: 0, name, topicId: found.topicId, isInternal: false, partitions }
      }),
    }),
    [apiKeys.createTopics]: (_, specs: { name: string }[]) => ({
      topics: specs.map(({ name }) => {
        const errorCode = topics.has(name) ? codes.TOPIC_ALREADY_EXISTS : codes.NONE
        if (errorCode === codes.NONE) createTopic(name)
        return { name, errorCode, errorMessage: null }
      }),
    }),
    [apiKeys.initProducerId]: () => ({ errorCode: 0, producerId: 1n, producerEpoch: 0 }),
    [apiKeys.produce]: (node, { batches }: ProduceArguments): ProduceAnswer => ({
      partitions: batches.map(({ topic, partition: index, bytes }) => {
        const partition = topics.get(topic)
        const errorCode = leaderError(partition, node, -1)
        if (errorCode === codes.NONE) append(partition!, bytes)
        return { topic, partition: index, errorCode, errorMessage: null }
      }),
    }),
    [apiKeys.listOffsets]: (node, _replica: number, _isolation: number, asked: AskedOffsets[]) => ({
      topics: asked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, currentLeaderEpoch, timestamp }) => {
          const partition = topics.get(name)
          const errorCode = leaderError(partition, node, currentLeaderEpoch)
          if (errorCode !== codes.NONE) return { partitionIndex, errorCode, offset: -1n }
          if (timestamp === earliest) return { partitionIndex, errorCode, offset: partition!.logStart }
          const offset = highWatermark(node, partition!)
          const code = offset < viewOf(node, partition!).end ? codes.OFFSET_NOT_AVAILABLE : codes.NONE
          return { partitionIndex, errorCode: code, offset }
        }),
      })),
    }),
    [apiKeys.fetch]: (node, { partitions, maxBytes }: FetchArguments): FetchAnswer => {
      if (throttled.answers > 0) {
        throttled.answers--
        return { throttleMs: throttled.throttleMs, errorCode: 0, partitions: [] }
      }
      const answers = partitions.map(({ topicId, partition: index, offset, leaderEpoch = -1 }) => {
        const partition = [...topics.values()].find((one) => one.topicId === topicId)
        const empty = { topicId, partition: index, abortedTransactions: [], diverges: false, bytes: Buffer.alloc(0) }
        const unknown = { ...empty, highWatermark: -1n, lastStableOffset: -1n }
        if (!partition) return { ...unknown, errorCode: codes.UNKNOWN_TOPIC_ID }
        const errorCode = leaderError(partition, node, leaderEpoch)
        if (errorCode !== codes.NONE) return { ...unknown, errorCode }
        if (offset < partition.logStart || offset > viewOf(node, partition).end)
          return { ...unknown, errorCode: codes.OFFSET_OUT_OF_RANGE }
        const end = highWatermark(node, partition)
        const bytes = stored(partition, { offset, end, maxBytes })
        return { ...empty, errorCode, highWatermark: end, lastStableOffset: end, bytes }
      })
      return { throttleMs: 0, errorCode: 0, partitions: answers }
    },
    [apiKeys.deleteRecords]: (_, asked: { name: string; partitions: { offset: bigint }[] }[]) => ({
      topics: asked.map(({ name, partitions }) => {
        topics.get(name)!.logStart = partitions[0]!.offset
        return { partitions: [{ errorCode: 0 }] }
      }),
    }),
  }

  function connect(node: number): BrokerConnection {
    return {
      usable: true,
      async request(api, ...args) {
        await new Promise(setImmediate)
        counts.set(api.key, (counts.get(api.key) ?? 0) + 1)
        const answer = handlers[api.key]!(node, ...(args as unknown[] as never[]))
        const next = followUps.findIndex(({ apiKey }) => apiKey === api.key)
        if (next >= 0) followUps.splice(next, 1)[0]!.then()
        return answer as never
      },
      close() {},
    }
  }

  const connections: Connections = {
    to: async ({ port }) => connect(port),
    borrow: async ({ port }) => ({ connection: connect(port), release() {} }),
    lastFailure: () => 0,
    closeLane() {},
    close() {},
  }

  return {
    openQueue(changed) {
      const settings = { ...defaultKafkaSettings, compression: 'none', ...changed } as const
      const bootstrap = [{ host: 'fake', port: 1 }]
      const options: ClusterOptions = { bootstrap, settings, security: plaintextSecurity, log: silent, connections }
      return openKafkaQueue(createCluster(options))
    },
    partition: (topic) => topics.get(topic)!,
    deleteTopic: (topic) => void topics.delete(topic),
    createTopic,
    afterNext: (apiKey, then) => void followUps.push({ apiKey, then }),
    throttle(answers, throttleMs) {
      throttled = { answers, throttleMs }
    },
    requests: (apiKey) => counts.get(apiKey) ?? 0,
  }
}

interface AskedOffsets {
  readonly name: string
  readonly partitions: readonly {
    readonly partitionIndex: number
    readonly currentLeaderEpoch: number
    readonly timestamp: bigint
  }[]
}

const earliest = -2n
const silent = { debug() {}, info() {}, warn() {}, error() {} }

function append(partition: Partition, bytes: Uint8Array): void {
  const batch = bytes.slice()
  const view = new DataView(batch.buffer)
  view.setBigInt64(batchLayout.baseOffset, partition.end)
  view.setInt32(batchLayout.leaderEpoch, partition.epoch)
  partition.batches.push(batch)
  partition.end += BigInt(view.getInt32(batchLayout.lastOffsetDelta) + 1)
}

/** The batches that end after one offset and before another: at least one, then as many as fit. */
function stored(
  { batches }: Partition,
  { offset, end, maxBytes }: { offset: bigint; end: bigint; maxBytes: number },
): Buffer {
  const found: Uint8Array[] = []
  let size = 0
  for (const batch of batches) {
    const { lastOffset } = viewBatch(batch, { topic: '', partition: 0 })
    if (lastOffset < offset) continue
    size += batch.length
    if (lastOffset >= end || (found.length > 0 && size > maxBytes)) break
    found.push(batch)
  }
  return Buffer.concat(found)
}
