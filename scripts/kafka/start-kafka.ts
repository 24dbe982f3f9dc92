import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa, type ResultPromise } from 'execa'
import { environment } from './environment.ts'
import { findKafkaRuntime, type KafkaRuntime } from './runtime.ts'
import { loggingProperties, serverProperties } from './server-properties.ts'

export interface StartKafkaOptions {
  readonly signal?: AbortSignal
  /** The feature level to format with: 2 (default) is KIP-890's protocol, 0 the one before. */
  readonly transactionVersion?: 0 | 2
  /** Port of 127.0.0.1 at which clients are told to find it: that of a proxy. Default: its own. */
  readonly advertisedPort?: number
}

export interface KafkaBroker {
  /** `host:port` */
  readonly bootstrap: string
  /** The jars of Kafka and its tools; empty where it runs in a container. */
  readonly classpath: readonly string[]
  /** What to put before a main class and its arguments to run one of Kafka's own Java programs. */
  readonly javaCommand: readonly string[]
  /** Runs one of Kafka's own Java programs. */
  javaTool(mainClass: string, args: readonly string[]): ResultPromise
  /** Ends the broker and removes its data. A broker that was there before is left alone. */
  stop(): Promise<void>
}

/** Gives a real Kafka: the one of `HEADRACE_TEST_KAFKA`, else a new one of its own, else the reason why there is none. */
export async function startKafka(options: StartKafkaOptions = {}): Promise<KafkaBroker | { unavailable: string }> {
  const runtime = await findKafkaRuntime(options.signal)
  if (environment.testKafka !== undefined) return existingBroker(environment.testKafka, runtime)
  return 'unavailable' in runtime ? runtime : newBroker(runtime, options)
}

/** As `startKafka`, but never one that is there already: for tests that do harm to it. */
export async function startOwnKafka(options: StartKafkaOptions = {}): Promise<KafkaBroker | { unavailable: string }> {
  const runtime = await findKafkaRuntime(options.signal)
  return 'unavailable' in runtime ? runtime : newBroker(runtime, options)
}

function existingBroker(bootstrap: string, runtime: KafkaRuntime | { unavailable: string }): KafkaBroker {
  const classpath = 'classpath' in runtime ? runtime.classpath : []
  const javaCommand = 'image' in runtime ? dockerCommand('run', '--network=host', runtime.image) : java(classpath)
  return { bootstrap, classpath, javaCommand, javaTool: toolRunner(javaCommand), stop: async () => {} }
}

async function newBroker(runtime: KafkaRuntime, options: StartKafkaOptions): Promise<KafkaBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-kafka-'))
  const name = folder.slice(folder.lastIndexOf('headrace-kafka-'))
  const [port, controllerPort] = await freePorts()
  const host = runtime.kind === 'docker' ? '0.0.0.0' : '127.0.0.1'
  const properties = join(folder, 'server.properties')
  const advertisedPort = options.advertisedPort ?? port
  await writeFile(properties, serverProperties({ folder, port, advertisedPort, controllerPort, host }))
  await writeFile(join(folder, 'log4j2.properties'), loggingProperties)

  const format = formatArguments(properties, options.transactionVersion ?? 2)
  let server: ServerProcess | undefined
  const stop = async (): Promise<void> => {
    server?.kill('SIGTERM')
    await server
    await rm(folder, { recursive: true, force: true })
  }
  try {
    if (runtime.kind === 'java') await formatStorage(runtime.classpath, format)
    server =
      runtime.kind === 'java'
        ? startJava(runtime.classpath, folder, properties)
        : startContainer({ name, image: runtime.image, folder, port, properties, format })
    await started(server, options.signal)
  } catch (error) {
    await stop()
    throw error
  }
  const classpath = runtime.kind === 'java' ? runtime.classpath : []
  const javaCommand = runtime.kind === 'java' ? java(classpath) : dockerCommand('exec', name)
  return { bootstrap: `127.0.0.1:${port}`, classpath, javaCommand, javaTool: toolRunner(javaCommand), stop }
}

function formatArguments(properties: string, transactionVersion: number): string[] {
  const clusterId = `h${randomBytes(16).toString('base64url').slice(1)}`
  const feature = ['--feature', `transaction.version=${transactionVersion}`]
  return ['format', '--standalone', '--cluster-id', clusterId, '--config', properties, ...feature]
}

async function formatStorage(classpath: readonly string[], format: readonly string[]): Promise<void> {
  const [command, ...prefix] = java(classpath)
  await execa(command!, [...prefix, 'kafka.tools.StorageTool', ...format])
}

type ServerProcess = ResultPromise<typeof serverProcess>

// Its data are removed at the end: ending it by force loses nothing.
const serverProcess = { reject: false, buffer: false, all: true, forceKillAfterDelay: 5_000 } as const

function startJava(classpath: readonly string[], folder: string, properties: string): ServerProcess {
  const [command, ...prefix] = java(classpath)
  const logging = `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`
  return execa(command!, ['-Xmx1g', logging, ...prefix, 'kafka.Kafka', properties], serverProcess)
}

function startContainer(options: {
  name: string
  image: string
  folder: string
  port: number
  properties: string
  format: readonly string[]
}): ServerProcess {
  const { name, image, folder, port, properties, format } = options
  const script = [
    `/opt/kafka/bin/kafka-storage.sh ${format.join(' ')}`,
    `exec /opt/kafka/bin/kafka-server-start.sh ${properties}`,
  ].join(' && ')
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`
  const run = ['run', '--rm', '--init', '--name', name, '--user', user, '-p', `127.0.0.1:${port}:${port}`]
  const logging = `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`
  const mount = ['-v', `${folder}:${folder}`, '-e', `LOG_DIR=${folder}`, '-e', `KAFKA_LOG4J_OPTS=${logging}`]
  return execa('docker', [...run, ...mount, '--entrypoint', 'sh', image, '-c', script], serverProcess)
}

/** Resolves when the server says so; what it printed instead is the error where it does not. */
async function started(server: ServerProcess, signal?: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(90_000), ...(signal ? [signal] : [])])
  const printed: string[] = []
  const ready = new Promise<boolean>((resolve) => {
    createInterface({ input: server.all }).on('line', (line) => {
      if (line.includes('Kafka Server started')) resolve(true)
      printed.push(line)
      if (printed.length > 30) printed.shift()
    })
    server.then(() => resolve(false))
    deadline.addEventListener('abort', () => resolve(false))
  })
  if (!(await ready)) throw new Error(`Kafka did not start:\n${printed.join('\n')}`)
}

function java(classpath: readonly string[]): string[] {
  return ['java', '-cp', classpath.join(delimiter)]
}

function dockerCommand(verb: 'run' | 'exec', ...target: string[]): string[] {
  return ['docker', verb, ...(verb === 'run' ? ['--rm'] : []), ...target, '/opt/kafka/bin/kafka-run-class.sh']
}

function toolRunner(javaCommand: readonly string[]) {
  const [command, ...prefix] = javaCommand
  return (mainClass: string, args: readonly string[]): ResultPromise => execa(command!, [...prefix, mainClass, ...args])
}

async function freePorts(): Promise<[number, number]> {
  const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')]
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return [ports[0]!, ports[1]!]
}
