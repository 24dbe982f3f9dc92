export interface ServerPropertiesOptions {
  readonly node: number
  /** Where each node of the cluster is found, by id. */
  readonly ports: ReadonlyMap<number, NodePorts>
  /** Ports of further listeners, by name. */
  readonly listeners: ReadonlyMap<string, number>
  /** Where clients find it. */
  readonly advertisedPort: number
  /** Address to listen on for clients. */
  readonly listenAddress: string
  readonly dataFolder: string
  /** Added at the end, and win. */
  readonly more: Readonly<Record<string, string>>
}

export interface NodePorts {
  readonly clients: number
  /** Where the nodes find each other, whatever clients are told. */
  readonly internal: number
  readonly controller: number
}

/** One node that is broker and controller (KRaft combined mode), small and quick enough for tests. */
export function serverProperties(options: ServerPropertiesOptions): string {
  const { node, ports, listeners, advertisedPort, listenAddress, dataFolder, more } = options
  const { clients, internal, controller } = ports.get(node)!
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
    // A killed node is given up after seconds, and a node that only got no processor for a while is not.
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 4_000,
    'replica.lag.time.max.ms': 10_000,
    ...more,
  }
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
}

/** Says on stdout that it has started, and nothing else but what went wrong. */
export const loggingProperties = `rootLogger.level=WARN
rootLogger.appenderRefs=stdout
rootLogger.appenderRef.stdout.ref=stdout
logger.server.name=kafka.server.KafkaRaftServer
logger.server.level=INFO
appender.stdout.type=Console
appender.stdout.name=stdout
appender.stdout.layout.type=PatternLayout
appender.stdout.layout.pattern=%p %c %m%n%throwable
`
