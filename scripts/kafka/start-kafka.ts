import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { execa, type ResultPromise } from 'execa'
import { writeClusterFiles } from './cluster-files.ts'
import { kafkaVersion } from './distribution.ts'
import { environment } from './environment.ts'
import { freePorts } from './free-ports.ts'
import { type KafkaNode, startNode } from './kafka-node.ts'
import { type Machine, openMachine, quickJava } from './machine.ts'
import { findKafkaRuntime, type KafkaRuntime } from './runtime.ts'
import type { NodePorts } from './server-properties.ts'
import { formatStorage } from './storage.ts'

export interface StartKafkaOptions {
  readonly signal?: AbortSignal
  /** Three nodes replicate everything three times and take writes as long as two of them run. Default 1. */
  readonly nodes?: number
  /**
   * Names of listeners that a single node has besides the one in plaintext, each with a port of its own. What they speak
   * and need goes into `properties`; of itself a name like `SASL_SSL` is a security protocol.
   */
  readonly listeners?: readonly string[]
  /** Users that are known by SCRAM from the beginning, and their passwords. */
  readonly scramUsers?: Readonly<Record<string, string>>
  /** Added to the `server.properties` of every node, where they win over what is there. */
  readonly properties?: Readonly<Record<string, string>>
  /** The feature level to format with: 2 (default) is KIP-890's protocol, 0 the one before. */
  readonly transactionVersion?: 0 | 2
  /** Port of 127.0.0.1 that a single node listens on for clients. Default: a free one. */
  readonly port?: number
  /** Port of 127.0.0.1 at which clients are told to find each node: that of a proxy. Default: its own. */
  readonly advertisedPort?: number | readonly number[]
  /** Release of Kafka. Default 4.3.1. */
  readonly version?: string
  /** Whether it is to serve fast for long, as a bench needs, and not to start fast. Default false. */
  readonly fullSpeed?: boolean
}

export interface KafkaBroker {
  /** `host:port`, with commas between the nodes. */
  readonly bootstrap: string
  /** `host:port` of each further listener, by name. */
  readonly listeners: ReadonlyMap<string, string>
  /** In order of their id, from 1. Empty where Kafka was there before. */
  readonly nodes: readonly KafkaNode[]
  /** The jars of Kafka and its tools; empty where it runs in a container. */
  readonly classpath: readonly string[]
  /** What to put before a main class and its arguments to run one of Kafka's own Java programs. */
  readonly javaCommand: readonly string[]
  /** Runs one of Kafka's own Java programs. */
  javaTool(mainClass: string, args: readonly string[]): ResultPromise
  /** Ends all nodes and removes their data. A broker that was there before is left alone. */
  stop(): Promise<void>
}

/** Gives a real Kafka: the one of `HEADRACE_TEST_KAFKA`, else a new one of its own, else the reason why there is none. */
export async function startKafka(options: StartKafkaOptions = {}): Promise<KafkaBroker | { unavailable: string }> {
  if (environment.testKafka === undefined) return startOwnKafka(options)
  return existingBroker(environment.testKafka, await findKafkaRuntime(kafkaVersion, options.signal))
}

/** As `startKafka`, but never one that is there already: for tests that do harm to it. */
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
  const { version = kafkaVersion, transactionVersion = 2, properties = {}, signal } = options
  const advertisedPorts = options.advertisedPort === undefined ? [] : [options.advertisedPort].flat()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-kafka-'))
  const ports = await nodePorts(options.nodes ?? 1)
  if (options.port !== undefined) ports.set(1, { ...ports.get(1)!, clients: options.port })
  const listeners = await listenerPorts(options.listeners ?? [])
  const nodes: KafkaNode[] = []
  let machine: Machine | undefined
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()))
    await machine?.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const clientPorts = [...[...ports.values()].map(({ clients }) => clients), ...listeners.values()]
    machine = await openMachine(runtime, { folder, name: basename(folder), ports: clientPorts })
    const { listenAddress } = machine
    const files = await writeClusterFiles({ folder, ports, listeners, advertisedPorts, listenAddress, properties })
    await formatStorage(machine, {
      version,
      transactionVersion,
      scramUsers: options.scramUsers ?? {},
      properties: [...files.properties.values()],
    })
    const heap = ports.size === 1 ? '1g' : '384m'
    const serving: Promise<void>[] = []
    for (const [id, properties] of files.properties) {
      const address = `127.0.0.1:${ports.get(id)!.clients}`
      const server = { properties, logging: files.logging, heap, fullSpeed: options.fullSpeed ?? false }
      const starting = startNode({ id, address, machine, server, signal })
      nodes.push(starting.node)
      serving.push(starting.serving)
    }
    await Promise.all(serving)
  } catch (error) {
    await stop()
    throw error
  }
  const bootstrap = nodes.map(({ address }) => address).join(',')
  const classpath = runtime.kind === 'java' ? runtime.classpath : []
  const { javaCommand } = machine
  return {
    bootstrap,
    listeners: new Map([...listeners].map(([name, port]) => [name, `127.0.0.1:${port}`])),
    nodes,
    classpath,
    javaCommand,
    javaTool: toolRunner(javaCommand),
    stop,
  }
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
