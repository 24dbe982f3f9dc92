import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface NodePorts {
  readonly clients: number
  /** The port of the listener between nodes, which is never behind a proxy. */
  readonly internal: number
  readonly controller: number
}

export interface ClusterFilesOptions {
  readonly folder: string
  /** The ports of every node, by id. */
  readonly ports: ReadonlyMap<number, NodePorts>
  /** Ports of the further listeners of a single node, by name. */
  readonly listeners: ReadonlyMap<string, number>
  /** The advertised ports, in the order of the nodes' ids. Default: their own. */
  readonly advertisedPorts: readonly number[]
  /** Address to listen on for clients. */
  readonly listenAddress: string
  /** Added to `server.properties`; they override the others. */
  readonly properties: Readonly<Record<string, string>>
}

export interface ClusterFiles {
  /** Path of the `server.properties` of each node, by id. */
  readonly properties: ReadonlyMap<number, string>
  /** Path of the `log4j2.properties`. */
  readonly logging: string
}

/** Writes the configuration of a cluster, in which every node is broker and controller (KRaft combined mode). */
export async function writeClusterFiles(options: ClusterFilesOptions): Promise<ClusterFiles> {
  const logging = join(options.folder, 'log4j2.properties')
  await writeFile(logging, loggingProperties)
  const properties = new Map<number, string>()
  for (const node of options.ports.keys()) {
    const folder = join(options.folder, `node-${node}`)
    await mkdir(folder)
    const path = join(folder, 'server.properties')
    await writeFile(path, serverProperties(node, join(folder, 'data'), options))
    properties.set(node, path)
  }
  return { properties, logging }
}

function serverProperties(node: number, dataFolder: string, options: ClusterFilesOptions): string {
  const { ports, listeners, listenAddress } = options
  const { clients, internal, controller } = ports.get(node)!
  const advertisedPort = options.advertisedPorts[node - 1] ?? clients
  const voters = [...ports].map(([id, { controller }]) => `${id}@127.0.0.1:${controller}`)
  const at = (address: string): string[] => [...listeners].map(([name, port]) => `${name}://${address}:${port}`)
  const replicas = Math.min(ports.size, 3)
  const minIsr = Math.max(replicas - 1, 1)
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': node,
    'controller.quorum.voters': voters.join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: [
      `PLAINTEXT://${listenAddress}:${clients}`,
      `INTERNAL://127.0.0.1:${internal}`,
      `CONTROLLER://127.0.0.1:${controller}`,
      ...at(listenAddress),
    ].join(','),
    'advertised.listeners': [
      `PLAINTEXT://127.0.0.1:${advertisedPort}`,
      `INTERNAL://127.0.0.1:${internal}`,
      ...at('127.0.0.1'),
    ].join(','),
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': [
      ...['CONTROLLER:PLAINTEXT', 'INTERNAL:PLAINTEXT', 'PLAINTEXT:PLAINTEXT'],
      ...['SSL:SSL', 'SASL_PLAINTEXT:SASL_PLAINTEXT', 'SASL_SSL:SASL_SSL'],
    ].join(','),
    'log.dirs': dataFolder,
    'auto.create.topics.enable': false,
    'default.replication.factor': replicas,
    'min.insync.replicas': minIsr,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minIsr,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': minIsr,
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
    // A killed node is replaced after seconds; one that waits for a processor is not.
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 4_000,
    'replica.lag.time.max.ms': 10_000,
    ...options.properties,
  }
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
}

/** Logs to stdout that the server has started, and otherwise only warnings and errors. */
const loggingProperties = `rootLogger.level=WARN
rootLogger.appenderRefs=stdout
rootLogger.appenderRef.stdout.ref=stdout
logger.server.name=kafka.server.KafkaRaftServer
logger.server.level=INFO
appender.stdout.type=Console
appender.stdout.name=stdout
appender.stdout.layout.type=PatternLayout
appender.stdout.layout.pattern=%p %c %m%n%throwable
`
