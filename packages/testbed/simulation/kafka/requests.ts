import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { EndTxnArguments } from '../../../queue/src/kafka/connection/end-txn-request.ts'
import type { FetchAnswer, FetchArguments } from '../../../queue/src/kafka/connection/fetch-request.ts'
import type { ProduceAnswer, ProduceArguments } from '../../../queue/src/kafka/connection/produce-request.ts'
import { viewBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'
import type { SimulatedCluster } from './cluster.ts'
import { refused } from './partition-reading.ts'
import { isTopicName, topicConfigs } from './topic-configs.ts'
import type { AskedProducer } from './transaction-coordinator.ts'

/** The API keys of the requests that the simulated brokers answer. */
export const apiNames: Readonly<Record<number, string>> = {
  0: 'Produce',
  1: 'Fetch',
  2: 'ListOffsets',
  3: 'Metadata',
  10: 'FindCoordinator',
  18: 'ApiVersions',
  19: 'CreateTopics',
  21: 'DeleteRecords',
  22: 'InitProducerId',
  24: 'AddPartitionsToTxn',
  26: 'EndTxn',
  32: 'DescribeConfigs',
}

export type Handler = (node: number, version: number, ...args: never[]) => Promise<unknown> | unknown

/** The answers of a broker to each request. */
export function createHandlers(world: World, cluster: SimulatedCluster): Readonly<Record<string, Handler>> {
  const { coordinator, topics: clusterTopics, transactionVersion } = cluster

  const brokerOf = (node: number): Broker => cluster.brokers.find(({ id }) => id === node)!

  /** Adds partitions to a transaction (KIP-890, part 2), or checks that one was added (part 1). */
  async function askCoordinator(node: number, id: string, by: AskedProducer, keys: string[]): Promise<number> {
    const deadline = world.now() + addPartitionsRetryMs
    for (;;) {
      await world.wait(1)
      const asked = coordinator.log.known(node)
      if (asked < 0 || !cluster.reach(node, asked)) {
        await world.wait(world.random.integer(1_000))
        return codes.NOT_ENOUGH_REPLICAS
      }
      const adds = transactionVersion === 2
      const lost = new Promise<number>((resolve) =>
        brokerOf(asked).onDisconnect(() => resolve(codes.NOT_ENOUGH_REPLICAS)),
      )
      const code = adds
        ? await Promise.race([coordinator.addPartitions(asked, id, by, keys), lost])
        : coordinator.verify(asked, id, by, keys[0]!)
      if (code === codes.CONCURRENT_TRANSACTIONS && adds && world.now() < deadline) {
        await world.wait(addPartitionsBackoffMs)
        continue
      }
      // A broker reports that it could not ask, not the answer it got.
      const transient: readonly number[] = [
        codes.CONCURRENT_TRANSACTIONS,
        codes.NOT_COORDINATOR,
        codes.COORDINATOR_LOAD_IN_PROGRESS,
      ]
      if (transient.includes(code)) return codes.NOT_ENOUGH_REPLICAS
      return code === codes.PRODUCER_FENCED ? codes.INVALID_PRODUCER_EPOCH : code
    }
  }

  async function produce(node: number, _version: number, request: ProduceArguments): Promise<ProduceAnswer> {
    const { transactionalId: id, timeoutMs } = request
    const batches = request.batches.map((batch) => {
      const partition = clusterTopics.known(node, batch.topic)?.partitions[batch.partition]
      const verified = id === null ? undefined : partition?.verify(node, batch.bytes, transactionVersion === 2)
      return { ...batch, partition, index: batch.partition, verified, key: `${batch.topic}/${batch.partition}` }
    })
    const unverified = batches.filter(({ verified }) => typeof verified === 'object')
    // Partitions are added in one request.
    const { producerId, producerEpoch: epoch } = viewBatch(request.batches[0]!.bytes, { topic: '', partition: 0 })
    const ask = (keys: string[]): Promise<number> => askCoordinator(node, id!, { producerId, epoch }, keys)
    const together =
      transactionVersion === 2 && unverified.length > 0 ? ask(unverified.map(({ key }) => key)) : undefined
    const partitions = batches.map(async ({ topic, index, partition, bytes, verified, key }) => {
      const answer = (errorCode: number) => ({ topic, partition: index, errorCode, errorMessage: null })
      if (!partition) return answer(codes.UNKNOWN_TOPIC_OR_PARTITION)
      if (typeof verified === 'number') return answer(verified)
      const code = verified ? await (together ?? ask([key])) : codes.NONE
      return answer(code === codes.NONE ? await partition.produce(node, bytes, { timeoutMs, verified }) : code)
    })
    return { partitions: await Promise.all(partitions) }
  }

  async function fetch(node: number, _version: number, request: FetchArguments): Promise<FetchAnswer> {
    const until = world.now() + request.maxWaitMs
    for (;;) {
      let { maxBytes } = request
      const partitions = request.partitions.map(
        ({ topicId, partition: index, offset, leaderEpoch = -1, lastEpoch = -1 }) => {
          const topic = clusterTopics.knownById(node, topicId)
          const partition = topic?.partitions[index]
          const read = partition
            ? partition.read(node, { offset, epoch: leaderEpoch, lastEpoch, maxBytes })
            : refused(topic ? codes.UNKNOWN_TOPIC_OR_PARTITION : codes.UNKNOWN_TOPIC_ID)
          const bytes = Buffer.concat(read.batches.map((batch) => batch.bytes))
          maxBytes = Math.max(0, maxBytes - bytes.length)
          return {
            topicId,
            partition: index,
            errorCode: read.code,
            highWatermark: read.highWatermark,
            lastStableOffset: read.lastStable,
            abortedTransactions: read.aborted,
            diverges: read.diverges,
            bytes,
          }
        },
      )
      const something = partitions.some(
        ({ bytes, errorCode, diverges }) => bytes.length > 0 || errorCode !== 0 || diverges,
      )
      if (something || world.now() >= until) return { throttleMs: 0, errorCode: 0, partitions }
      await changeOrTimeout(node, request, until - world.now())
    }
  }

  async function changeOrTimeout(node: number, { partitions }: FetchArguments, ms: number): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>()
    const cancel = world.later(ms, resolve)
    const asked = partitions.map(({ topicId, partition }) =>
      clusterTopics.knownById(node, topicId)!.partitions[partition]!.changed(),
    )
    await Promise.race([timeout, ...asked])
    cancel()
  }

  return {
    ApiVersions: () => ({
      errorCode: 0,
      apiKeys: [{ apiKey: 24, minVersion: 0, maxVersion: 5 }],
      finalizedFeatures: [
        { name: 'transaction.version', maxVersionLevel: transactionVersion, minVersionLevel: transactionVersion },
      ],
    }),
    DescribeConfigs: (node, _version, resources: AskedConfigs[]) => ({
      results: resources.map(({ resourceType, resourceName, configurationKeys }) => {
        const topic = clusterTopics.known(node, resourceName)
        const errorCode = resourceType === 2 && !topic ? codes.UNKNOWN_TOPIC_OR_PARTITION : codes.NONE
        const all = topic ? topicConfigs(topic.configs) : new Map<string, string>()
        const configs = [...all].map(([name, value]) => ({ name, value }))
        return {
          resourceName,
          errorCode,
          errorMessage: null,
          configs: configs.filter(({ name }) => configurationKeys.includes(name)),
        }
      }),
    }),
    Metadata: (node, _version, names: string[] | null) => ({
      // An isolated broker lists the brokers before its isolation, when all were up.
      brokers: cluster.brokers
        .filter(({ fenced }) => !fenced || brokerOf(node).isolation)
        .map(({ id }) => ({ nodeId: id, host: 'broker', port: id })),
      topics: (names ?? [...clusterTopics.current.keys()]).map((name) => {
        const topic = clusterTopics.known(node, name)
        if (!topic) {
          const errorCode = isTopicName(name) ? codes.UNKNOWN_TOPIC_OR_PARTITION : codes.INVALID_TOPIC_EXCEPTION
          return { errorCode, name, partitions: [] }
        }
        const known = topic.partitions.filter((partition) => partition.known(node).epoch >= 0)
        const partitions = known.map((partition) => {
          const { leader, epoch } = partition.known(node)
          return {
            errorCode: leader < 0 ? codes.LEADER_NOT_AVAILABLE : codes.NONE,
            partitionIndex: partition.index,
            leaderId: leader,
            leaderEpoch: epoch,
            replicaNodes: cluster.brokers.map(({ id }) => id),
          }
        })
        return { errorCode: 0, name, topicId: topic.id, isInternal: false, partitions }
      }),
    }),
    async CreateTopics(
      node,
      _version,
      specs: { name: string; numPartitions: number; configs: { name: string; value: string }[] }[],
    ) {
      // Brokers forward the request to the controller.
      const broker = brokerOf(node)
      if (broker.isolation) await Promise.race([broker.isolation, world.wait(forwardingMs)])
      return {
        topics: specs.map(({ name, numPartitions, configs }) => ({
          name,
          errorCode: broker.isolation
            ? codes.REQUEST_TIMED_OUT
            : clusterTopics.create(name, numPartitions, new Map(configs.map(({ name, value }) => [name, value]))),
          errorMessage: null,
        })),
      }
    },
    FindCoordinator: (node, _version, _type: number, [id]: string[]) => {
      const found = coordinator.log.known(node)
      const errorCode = found < 0 ? codes.COORDINATOR_NOT_AVAILABLE : codes.NONE
      return { coordinators: [{ key: id, nodeId: found, host: 'broker', port: found, errorCode, errorMessage: null }] }
    },
    async InitProducerId(node, _version, id: string | null, timeoutMs: number) {
      const { errorCode, producerId, epoch } = await coordinator.initProducerId(node, id, timeoutMs)
      return { errorCode, producerId, producerEpoch: epoch }
    },
    async AddPartitionsToTxn(node, _version, transactions: AddedPartitions[]) {
      const resultsByTransaction = transactions.map(async ({ transactionalId, producerId, producerEpoch, topics }) => {
        const keys = topics.flatMap(({ name, partitions }) => partitions.map((index) => `${name}/${index}`))
        const unknown = (name: string, index: number) => !clusterTopics.known(node, name)?.partitions[index]
        const missing = topics.some(({ name, partitions }) => partitions.some((index) => unknown(name, index)))
        const by = { producerId, epoch: producerEpoch }
        const code = missing ? notAttempted : await coordinator.addPartitions(node, transactionalId, by, keys)
        const topicResults = topics.map(({ name, partitions }) => ({
          name,
          resultsByPartition: partitions.map((partitionIndex) => ({
            partitionIndex,
            partitionErrorCode: missing && unknown(name, partitionIndex) ? codes.UNKNOWN_TOPIC_OR_PARTITION : code,
          })),
        }))
        return { transactionalId, topicResults }
      })
      return { errorCode: 0, resultsByTransaction: await Promise.all(resultsByTransaction) }
    },
    EndTxn: (node, _version, { transactionalId, producerId, epoch, committed }: EndTxnArguments) =>
      coordinator.endTransaction(node, transactionalId, { producerId, epoch }, committed),
    Produce: produce,
    Fetch: fetch,
    ListOffsets: (node, _version, _replica: number, isolation: number, asked: AskedOffsets[]) => ({
      topics: asked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, currentLeaderEpoch, timestamp }) => {
          const partition = clusterTopics.known(node, name)?.partitions[partitionIndex]
          if (!partition) return { partitionIndex, errorCode: codes.UNKNOWN_TOPIC_OR_PARTITION, offset: -1n }
          const which = timestamp === earliest ? 'earliest' : isolation === 1 ? 'lastStable' : 'highWatermark'
          const { code, offset } = partition.offset(node, currentLeaderEpoch, which)
          return { partitionIndex, errorCode: code, offset }
        }),
      })),
    }),
    DeleteRecords: (node, _version, asked: AskedDeletions[]) => ({
      topics: asked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, offset }) => {
          const partition = clusterTopics.known(node, name)?.partitions[partitionIndex]
          const unknown = { code: codes.UNKNOWN_TOPIC_OR_PARTITION, logStart: -1n }
          const { code, logStart } = partition?.deleteBefore(node, offset) ?? unknown
          return { partitionIndex, lowWatermark: logStart, errorCode: code }
        }),
      })),
    }),
  }
}

interface AskedDeletions {
  readonly name: string
  readonly partitions: readonly { readonly partitionIndex: number; readonly offset: bigint }[]
}

interface AskedConfigs {
  readonly resourceType: number
  readonly resourceName: string
  readonly configurationKeys: readonly string[]
}

interface AddedPartitions {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly topics: readonly { readonly name: string; readonly partitions: readonly number[] }[]
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
const notAttempted = 55
/** Time in which a broker tries to forward a request to the controller. */
const forwardingMs = 60_000
/** `add.partitions.to.txn.retry.backoff.max.ms`: time in which a leader itself retries adding a partition. */
const addPartitionsRetryMs = 100
/** `add.partitions.to.txn.retry.backoff.ms`. */
const addPartitionsBackoffMs = 20
