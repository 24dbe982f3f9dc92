import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GatewayLimits } from '@headrace/server'

/** A gateway in a process of its own. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string
  /** Kills it, so that it can end nothing. Resolves when it is gone. */
  kill(): Promise<void>
  /** Lets it drain its connections. Resolves when it is gone. */
  stop(): Promise<void>
  state(): Promise<GatewayState>
}

export interface GatewayState {
  /** Streams that have ended because their client took nothing. */
  readonly slowConsumers: number
  /** The most bytes that were unsent to one of them. */
  readonly unsent: number
  /** What is in use after a collection of garbage, in bytes. The resident size depends on when the last one was. */
  readonly memory: number
}

export interface GatewayProcessOptions {
  readonly queueUrl: string
  /** Default: any that is free. */
  readonly port?: number
  readonly limits?: Partial<GatewayLimits>
}

/** Starts a gateway. Resolves when it listens. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { queueUrl, port = 0, limits = {} } = options
  const program = join(import.meta.dirname, 'gateway-program.ts')
  const child = fork(program, [queueUrl, `${port}`, JSON.stringify(limits)], {
    execArgv: ['--conditions=@headrace/source', '--expose-gc'],
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
