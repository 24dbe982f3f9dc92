import type { MetricFamily } from '../metrics/metric-family.ts'
import type { Queue, Writer } from '../queue.ts'
import { createTopics } from './admin/create-topics.ts'
import { deleteBefore } from './admin/delete-before.ts'
import { describeTopics } from './admin/describe-topics.ts'
import { warnOfDurability } from './admin/durability.ts'
import { createTopicDirectory } from './admin/topic-directory.ts'
import { type Cluster, type KafkaOptions, openCluster } from './connection/cluster.ts'
import { follow } from './fetch/follow.ts'
import { highWatermark } from './fetch/high-watermark.ts'
import { latest } from './fetch/latest.ts'
import { offsetForTime } from './fetch/offset-for-time.ts'
import { read } from './fetch/read.ts'
import { createAppender } from './transaction/append.ts'
import { claimWriter } from './transaction/claim.ts'
import { chooseProtocol } from './transaction/protocol/choose-protocol.ts'
import { openKafkaWriter } from './transaction/writer.ts'

/**
 * Opens a Kafka cluster, version 3.6 or newer, as a queue.
 *
 * @throws {UserError} `invalid_kafka_config`, `authentication_failed`, `tls_failed`, `wrong_security_protocol`,
 *   `permission_denied` or `unsupported_broker`.
 * @throws {QueueUnavailableError}
 */
export async function createKafkaQueue(options: KafkaOptions): Promise<Queue> {
  return openKafkaQueue(await openCluster(options))
}

/** Closes the cluster with the queue. */
export async function openKafkaQueue(cluster: Cluster): Promise<Queue> {
  const protocol = await chooseProtocol(cluster).catch((error: unknown) => {
    cluster.close()
    throw error
  })
  const { settings } = cluster
  const directory = createTopicDirectory(cluster)
  const append = createAppender(cluster, directory)
  const writers = new Set<Writer>()
  const claimed = new Set<string>()
  let lanes = 0

  return {
    engine: 'kafka',
    async createTopics(specs) {
      const names = specs.map(({ name }) => name)
      await createTopics(cluster, specs)
      await warnOfDurability(cluster, await directory.load(names))
    },
    describe: (topics) => describeTopics(cluster, topics),
    async openWriter({ id, claim, transactionTimeoutMs = settings.transactionTimeoutMs, compression = new Map() }) {
      // A run claims once. If it claimed again when it reopens, it and a newer run would fence each other repeatedly.
      const claimKey = JSON.stringify([id, claim])
      if (!claimed.has(claimKey)) await claimWriter(cluster, append, { id, claim })
      claimed.add(claimKey)
      await directory.load(null)
      const lane = `writer-${lanes++}`
      const opened = { cluster, protocol, directory, id, claim, transactionTimeoutMs, compression, lane }
      const writer = await openKafkaWriter({ ...opened, onClosed: () => writers.delete(writer) })
      writers.add(writer)
      return writer
    },
    append,
    read: (at, limits) => read(cluster, at, limits),
    latest: (topic, partition, key) => latest(cluster, { topic, partition }, key),
    highWatermark: (topic, partition) => highWatermark(cluster, { topic, partition }),
    offsetForTime: (topic, partition, timeMs) => offsetForTime(cluster, { topic, partition }, timeMs),
    deleteBefore: (topic, partition, offset) => deleteBefore(cluster, { topic, partition, offset }),
    follow: (positions, { signal }) => follow(cluster, positions, signal),
    metrics: () => throttlingMetrics(cluster),
    async close() {
      await Promise.all([...writers].map((writer) => writer.close()))
      cluster.close()
    },
  }
}

function throttlingMetrics({ throttling }: Cluster): readonly MetricFamily[] {
  return [
    {
      name: 'headrace_queue_throttled_answers_total',
      type: 'counter',
      help: 'Answers that a Kafka broker gave without records, because this client exceeds a quota.',
      labels: [],
      samples: () => [{ value: throttling.answers }],
    },
    {
      name: 'headrace_queue_throttled_seconds_total',
      type: 'counter',
      help: 'Time for which Kafka brokers have throttled this client.',
      labels: [],
      samples: () => [{ value: throttling.ms / 1000 }],
    },
  ]
}
