import { join } from 'node:path'

export interface ServerOptions {
  readonly folder: string
  readonly port: number
  /** Where clients find it. */
  readonly advertisedPort: number
  readonly controllerPort: number
  /** Address to listen on: every one inside a container. */
  readonly host: '127.0.0.1' | '0.0.0.0'
}

/** One node that is broker and controller (KRaft combined mode), small and quick enough for tests. */
export function serverProperties({ folder, port, advertisedPort, controllerPort, host }: ServerOptions): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://${host}:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${advertisedPort}
log.dirs=${join(folder, 'data')}
auto.create.topics.enable=false
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.abort.timed.out.transaction.cleanup.interval.ms=500
group.initial.rebalance.delay.ms=0
`
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
