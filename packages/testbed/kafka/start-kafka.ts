import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { execa, type ResultPromise } from 'execa'
import { environment } from '../environment.ts'
import { type NodePorts, writeClusterFiles } from './cluster-files.ts'
import { isAtLeast, kafkaVersion } from './distribution.ts'
import { freePorts } from './free-ports.ts'
import { type KafkaNode, startNode } from './kafka-node.ts'
import { type Machine, openMachine, quickJava } from './machine.ts'
import { findKafkaRuntime, type KafkaRuntime } from './runtime.ts'

export interface StartKafkaOptions {
  readonly signal?: AbortSignal
  /** With three nodes every partition has three replicas, and writes need two of them. Default 1. */
  readonly nodes?: number
  /**
   * Names of listeners of a single node, in addition to the one in plaintext. Each gets its own port. `properties`
   * configures them; a name like `SASL_SSL` is that security protocol by default.
   */
  readonly listeners?: readonly string[]
  /** Passwords of the users that can authenticate by SCRAM, by name. */
  readonly scramUsers?: Readonly<Record<string, string>>
  /** Added to the `server.properties` of every node; they override the others. */
  readonly properties?: Readonly<Record<string, string>>
  /** Options of the Java of every node. */
  readonly javaOptions?: readonly string[]
  /** Feature level `transaction.version`: 2 (default) is the protocol of KIP-890, 0 the one before. */
  readonly transactionVersion?: 0 | 2
  /** Port of 127.0.0.1 on which a single node listens for clients. Default: a free one. */
  readonly port?: number
  /** Advertised port of each node, such as that of a proxy. Default: its own. */
  readonly advertisedPort?: number | readonly number[]
  /** Release of Kafka. Default 4.3.1. */
  readonly version?: string
  /** Prefers high throughput, which a bench needs, to a short start. Default false. */
  readonly fullSpeed?: boolean
}

export interface KafkaBroker {
  /** `host:port`, with commas between the nodes. */
  readonly bootstrap: string
  /** `host:port` of each further listener, by name. */
  readonly listeners: ReadonlyMap<string, string>
  /** In the order of their ids, from 1. Empty for a broker that was already running. */
  readonly nodes: readonly KafkaNode[]
  /** The jars of Kafka and its tools. Empty if it runs in a container. */
  readonly classpath: readonly string[]
  /** The command that runs one of Kafka's Java programs; a main class and its arguments follow. */
  readonly javaCommand: readonly string[]
  /** Runs one of Kafka's Java programs. */
  javaTool(mainClass: string, args: readonly string[]): ResultPromise
  /** Ends all nodes and removes their data. A broker that was already running stays. */
  stop(): Promise<void>
}

/** Uses the Kafka at `HEADRACE_TEST_KAFKA` or starts one. Returns the reason if neither is possible. */
export async function startKafka(options: StartKafkaOptions = {}): Promise<KafkaBroker | { unavailable: string }> {
  if (environment.testKafka === undefined) return startOwnKafka(options)
  return existingBroker(environment.testKafka, await findKafkaRuntime(kafkaVersion, options.signal))
}

/** Starts a new Kafka, for tests that inject faults into it. */
export async function startOwnKafka(options: StartKafkaOptions = {}): Promise<KafkaBroker | { unavailable: string }> {
  const runtime = await findKafkaRuntime(options.version ?? kafkaVersion, options.signal)
  return 'unavailable' in runtime ? runtime : newCluster(runtime, options)
}

function existingBroker(bootstrap: string, runtime: KafkaRuntime | { unavailable: string }): KafkaBroker {
  const classpath = 'classpath' in runtime ? runtime.classpath : []
  const javaCommand =
    'image' in runtime
      ? ['docker', 'run', '--rm', '--network=host', runtime.image, '/opt/kafka/bin/kafka-run-class.sh']
      : ['java', ...quickJava, '-cp', classpath.join(delimiter)]
  const javaTool = toolRunner(javaCommand)
  return { bootstrap, listeners: new Map(), nodes: [], classpath, javaCommand, javaTool, stop: async () => {} }
}

async function newCluster(runtime: KafkaRuntime, options: StartKafkaOptions): Promise<KafkaBroker> {
  await using opened = new AsyncDisposableStack()
  const { properties = {}, signal } = options
  const advertisedPorts = options.advertisedPort === undefined ? [] : [options.advertisedPort].flat()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-kafka-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const ports = await nodePorts(options.nodes ?? 1)
  if (options.port !== undefined) ports.set(1, { ...ports.get(1)!, clients: options.port })
  const listeners = await listenerPorts(options.listeners ?? [])
  const clientPorts = [...[...ports.values()].map(({ clients }) => clients), ...listeners.values()]
  const machine = await openMachine(runtime, { folder, name: basename(folder), ports: clientPorts })
  opened.defer(() => machine.close())
  const { listenAddress, javaCommand } = machine
  const files = await writeClusterFiles({ folder, ports, listeners, advertisedPorts, listenAddress, properties })
  await formatStorage(machine, files.properties.values(), options)
  const heap = ports.size === 1 ? '1g' : '384m'
  const starting = [...files.properties].map(([id, properties]) => {
    const address = `127.0.0.1:${ports.get(id)!.clients}`
    const server = {
      properties,
      logging: files.logging,
      heap,
      fullSpeed: options.fullSpeed ?? false,
      javaOptions: options.javaOptions ?? [],
    }
    return startNode({ id, address, machine, server, signal })
  })
  const nodes = starting.map(({ node }) => node)
  for (const node of nodes) opened.defer(() => node.kill())
  await Promise.all(starting.map(({ serving }) => serving))
  await machine.archiveClasses()
  const bootstrap = nodes.map(({ address }) => address).join(',')
  const classpath = runtime.kind === 'java' ? runtime.classpath : []
  const running = opened.move()
  return {
    bootstrap,
    listeners: new Map([...listeners].map(([name, port]) => [name, `127.0.0.1:${port}`])),
    nodes,
    classpath,
    javaCommand,
    javaTool: toolRunner(javaCommand),
    stop: () => running.disposeAsync(),
  }
}

/** Creates the data folders of a new cluster, whose `server.properties` are at these paths. */
async function formatStorage(machine: Machine, paths: Iterable<string>, options: StartKafkaOptions): Promise<void> {
  const { version = kafkaVersion, transactionVersion = 2, scramUsers = {} } = options
  const clusterId = `h${randomBytes(16).toString('base64url').slice(1)}`
  // Before 4.0 the level of transactions cannot be chosen.
  const features = isAtLeast(version, '4') ? ['--feature', `transaction.version=${transactionVersion}`] : []
  const users = Object.entries(scramUsers).flatMap(([name, password]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((by) => ['--add-scram', `${by}=[name=${name},password=${password}]`]),
  )
  const [command, ...prefix] = machine.javaCommand
  const format = [...prefix, 'kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, ...features, ...users]
  await Promise.all(Array.from(paths, (path) => execa(command!, [...format, '--config', path])))
}

async function listenerPorts(names: readonly string[]): Promise<Map<string, number>> {
  const ports = await freePorts(names.length)
  return new Map(names.map((name, index) => [name, ports[index]!]))
}

async function nodePorts(nodes: number): Promise<Map<number, NodePorts>> {
  const ports = await freePorts(3 * nodes)
  return new Map(
    Array.from({ length: nodes }, (_, index) => {
      const [clients, internal, controller] = ports.slice(3 * index)
      return [index + 1, { clients: clients!, internal: internal!, controller: controller! }]
    }),
  )
}

function toolRunner(javaCommand: readonly string[]) {
  const [command, ...prefix] = javaCommand
  return (mainClass: string, args: readonly string[]): ResultPromise => execa(command!, [...prefix, mainClass, ...args])
}
