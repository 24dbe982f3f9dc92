import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { execa, type ResultPromise } from 'execa'
import type { KafkaRuntime } from './runtime.ts'

/** Where the servers of one cluster run: this machine, or one container. */
export interface Machine {
  /** The command that runs one of Kafka's Java programs; a main class and its arguments follow. */
  readonly javaCommand: readonly string[]
  /** Address to listen on, so that clients of this machine can connect to 127.0.0.1. */
  readonly listenAddress: '127.0.0.1' | '0.0.0.0'
  startServer(options: ServerOptions): ServerProcess
  /** `kill -9`. Resolves when the server has ended. */
  killServer(server: ServerProcess): Promise<void>
  /** Lets later programs load the classes of a server that serves from an archive, if there is none yet. */
  archiveClasses(): Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  /** Path of its `server.properties`. */
  readonly properties: string
  /** Path of its `log4j2.properties`. */
  readonly logging: string
  /** Maximum size of the heap, as Java writes it: `384m`. */
  readonly heap: string
  /** Prefers high throughput to a short start. */
  readonly fullSpeed: boolean
  /** Further options of Java. */
  readonly javaOptions: readonly string[]
}

/** Less compilation and one thread for garbage collection halve the CPU time of programs that run for seconds. */
export const quickJava: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export type ServerProcess = ResultPromise<typeof serverProcess>

// Servers end with this process, by SIGKILL: an orderly end would wait for the other nodes.
const serverProcess = { reject: false, buffer: false, all: true, stdin: 'ignore', killSignal: 'SIGKILL' } as const

export interface MachineOptions {
  /** Mounted at the same path in a container. */
  readonly folder: string
  readonly name: string
  /** Ports that clients outside connect to. */
  readonly ports: readonly number[]
}

export async function openMachine(runtime: KafkaRuntime, options: MachineOptions): Promise<Machine> {
  return runtime.kind === 'java' ? thisMachine(runtime) : openContainer(runtime.image, options)
}

/** An archive of classes (JEP 350) saves a third of the CPU time of a start. */
function thisMachine({ classpath, archive }: KafkaRuntime & { kind: 'java' }): Machine {
  const cp = ['-cp', classpath.join(delimiter)]
  const archived = archive !== undefined && existsSync(archive)
  const quick = [...quickJava, ...(archived ? [`-XX:SharedArchiveFile=${archive}`] : [])]
  let recording: ServerProcess | undefined
  return {
    javaCommand: ['java', ...quick, ...cp],
    listenAddress: '127.0.0.1',
    startServer({ properties, logging, heap, fullSpeed, javaOptions }) {
      const recorded = archived || fullSpeed || archive === undefined ? [] : ['-XX:+RecordDynamicDumpInfo']
      const options = [
        ...(fullSpeed ? [] : quick),
        ...recorded,
        ...javaOptions,
        `-Xmx${heap}`,
        `-Dlog4j2.configurationFile=${logging}`,
      ]
      const server = execa('java', [...options, ...cp, 'kafka.Kafka', properties], serverProcess)
      if (recorded.length > 0) recording ??= server
      return server
    },
    async killServer(server) {
      server.kill('SIGKILL')
      await server
    },
    async archiveClasses() {
      if (!recording || archive === undefined) return
      const written = `${archive}.${recording.pid}`
      // A Java without this command starts as fast as before.
      await execa('jcmd', [`${recording.pid}`, 'VM.cds', 'dynamic_dump', written], { reject: false, timeout: 60_000 })
      if (existsSync(written)) await rename(written, archive)
      recording = undefined
    },
    close: async () => {},
  }
}

/** A container that only sleeps. Servers are further processes in it, so that they share addresses and files. */
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
    startServer({ properties, logging, heap, fullSpeed, javaOptions }) {
      const variables = {
        LOG_DIR: folder,
        ...(!fullSpeed && { KAFKA_JVM_PERFORMANCE_OPTS: quickJava.join(' ') }),
        KAFKA_HEAP_OPTS: `-Xmx${heap}`,
        KAFKA_OPTS: javaOptions.join(' '),
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
      // Killing the local `docker exec` would not end the server.
      await execa('docker', ['exec', name, 'sh', '-c', `kill -9 $(cat ${pidFiles.get(server)})`], { reject: false })
      await server
    },
    archiveClasses: async () => {},
    async close() {
      container.kill()
      await container.catch(() => {})
    },
  }
}
