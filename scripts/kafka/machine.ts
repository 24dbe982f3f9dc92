import { once } from 'node:events'
import { delimiter } from 'node:path'
import { execa, type ResultPromise } from 'execa'
import type { KafkaRuntime } from './runtime.ts'

/** Where the servers of one cluster run: this machine, or one container. */
export interface Machine {
  /** What to put before a main class and its arguments to run one of Kafka's own Java programs. */
  readonly javaCommand: readonly string[]
  /** Address to listen on, to be found at 127.0.0.1 from outside. */
  readonly listenAddress: '127.0.0.1' | '0.0.0.0'
  startServer(options: ServerOptions): ServerProcess
  /** `kill -9`. Resolves when the server has ended. */
  killServer(server: ServerProcess): Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  /** Path of its `server.properties`. */
  readonly properties: string
  /** Path of its `log4j2.properties`. */
  readonly logging: string
  /** Most of the heap, as Java writes it: `384m`. */
  readonly heap: string
  /** Whether it is to serve fast for long, and not to start fast. */
  readonly fullSpeed: boolean
}

/** Compiles less and collects in one thread: half the work for programs that run for seconds. */
export const quickJava: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export type ServerProcess = ResultPromise<typeof serverProcess>

// Whatever ends this process ends the servers, by force: an orderly end would wait for the other nodes.
const serverProcess = { reject: false, buffer: false, all: true, stdin: 'ignore', killSignal: 'SIGKILL' } as const

export interface MachineOptions {
  /** Folder that servers find at the same path. */
  readonly folder: string
  readonly name: string
  /** Ports of servers that are reached from outside. */
  readonly ports: readonly number[]
}

export async function openMachine(runtime: KafkaRuntime, options: MachineOptions): Promise<Machine> {
  return runtime.kind === 'java' ? thisMachine(runtime.classpath) : openContainer(runtime.image, options)
}

function thisMachine(classpath: readonly string[]): Machine {
  const cp = ['-cp', classpath.join(delimiter)]
  return {
    javaCommand: ['java', ...quickJava, ...cp],
    listenAddress: '127.0.0.1',
    startServer({ properties, logging, heap, fullSpeed }) {
      const options = [...(fullSpeed ? [] : quickJava), `-Xmx${heap}`, `-Dlog4j2.configurationFile=${logging}`]
      return execa('java', [...options, ...cp, 'kafka.Kafka', properties], serverProcess)
    },
    async killServer(server) {
      server.kill('SIGKILL')
      await server
    },
    close: async () => {},
  }
}

/** A container that only waits. Servers are further processes in it, so that they share addresses and files. */
async function openContainer(image: string, { folder, name, ports }: MachineOptions): Promise<Machine> {
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`
  const run = ['run', '--rm', '--init', '--name', name, '--user', user, '-v', `${folder}:${folder}`]
  const published = ports.flatMap((port) => ['-p', `127.0.0.1:${port}:${port}`])
  const wait = ['--entrypoint', 'sh', image, '-c', 'echo ready; exec sleep infinity']
  const container = execa('docker', [...run, ...published, ...wait], { buffer: false })
  container.catch(() => {})
  await Promise.race([once(container.stdout, 'data'), container])
  const pidFiles = new Map<ServerProcess, string>()
  return {
    javaCommand: ['docker', 'exec', name, '/opt/kafka/bin/kafka-run-class.sh'],
    listenAddress: '0.0.0.0',
    startServer({ properties, logging, heap, fullSpeed }) {
      const variables = {
        LOG_DIR: folder,
        ...(!fullSpeed && { KAFKA_JVM_PERFORMANCE_OPTS: quickJava.join(' ') }),
        KAFKA_HEAP_OPTS: `-Xmx${heap}`,
        KAFKA_LOG4J_OPTS: `-Dlog4j2.configurationFile=${logging}`,
      }
      const environment = Object.entries(variables).flatMap(([key, value]) => ['-e', `${key}=${value}`])
      const pidFile = `${properties}.pid`
      const script = `echo $$ > ${pidFile}; exec /opt/kafka/bin/kafka-server-start.sh ${properties}`
      const server = execa('docker', ['exec', ...environment, name, 'sh', '-c', script], serverProcess)
      pidFiles.set(server, pidFile)
      return server
    },
    async killServer(server) {
      // The process on this side only passes on what the server prints.
      await execa('docker', ['exec', name, 'sh', '-c', `kill -9 $(cat ${pidFiles.get(server)})`], { reject: false })
      await server
    },
    async close() {
      container.kill()
      await container.catch(() => {})
    },
  }
}
