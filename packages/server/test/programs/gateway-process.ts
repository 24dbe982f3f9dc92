import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { KafkaSettings } from '@headrace/queue'
import type { GatewayLimits } from '@headrace/server'

/** A gateway in its own process. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Sends SIGTERM, so that it drains. Resolves when the process has ended. */
  stop(): Promise<void>
  state(): Promise<GatewayState>
}

export interface GatewayState {
  /** Number of streams ended because their client read nothing. */
  readonly slowConsumers: number
  /** Maximal unsent bytes of one of them. */
  readonly unsent: number
  /** Heap in use after a garbage collection, in bytes. Resident size would depend on the time of the last collection. */
  readonly memory: number
  /** Open WebSocket and SSE connections. */
  readonly connections: number
}

export interface GatewayProcessOptions {
  readonly queueUrl: string
  /** Default: any free port. */
  readonly port?: number
  readonly limits?: Partial<GatewayLimits>
  /** Where it runs and at which address it listens. Default: here, at 127.0.0.1. */
  readonly machine?: { readonly namespace: string; readonly address: string }
  /** Default: metrics are not served. */
  readonly metricsPort?: number
  readonly kafka?: Partial<KafkaSettings>
}

/** Starts a gateway. Resolves when it listens. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { queueUrl, port = 0, limits = {}, metricsPort, machine, kafka } = options
  const program = join(import.meta.dirname, 'gateway-program.ts')
  const flags = ['--conditions=@headrace/source', '--expose-gc']
  // `ip` is replaced by the program that it runs, so that signals and messages reach that.
  const inMachine = machine && {
    execPath: 'ip',
    execArgv: ['netns', 'exec', machine.namespace, process.execPath, ...flags],
  }
  const others = {
    kafka,
    ...(machine && { host: machine.address }),
    ...(metricsPort !== undefined && { metrics: { port: metricsPort } }),
  }
  const child = fork(program, [queueUrl, `${port}`, JSON.stringify(limits), JSON.stringify(others)], {
    execArgv: flags,
    ...inMachine,
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit').finally(() => process.off('exit', killAtExit))
  const answer = <T>(): Promise<T> =>
    Promise.race([
      once(child, 'message').then(([message]) => message as T),
      exited.then(() => Promise.reject(new Error('The gateway has ended.'))),
    ])
  const { url } = await answer<{ url: string }>()
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  return {
    url,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    state() {
      child.send('state')
      return answer<GatewayState>()
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}
