import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GatewayLimits } from '@headrace/server'

/** A gateway in a process of its own. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string
  state(): Promise<GatewayState>
}

export interface GatewayState {
  /** Streams that have ended because their client took nothing. */
  readonly slowConsumers: number
  /** The most bytes that were unsent to one of them. */
  readonly unsent: number
  /** Resident, in bytes. */
  readonly memory: number
}

export async function startGatewayProcess(queueUrl: string, limits: Partial<GatewayLimits>): Promise<GatewayProcess> {
  const child = fork(join(import.meta.dirname, 'gateway-program.ts'), [queueUrl, JSON.stringify(limits)], {
    execArgv: ['--conditions=@headrace/source'],
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
  return {
    url,
    state() {
      child.send('state')
      return answer<GatewayState>()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
