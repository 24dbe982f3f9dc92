import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A gateway in a process of its own. */
export interface GatewayProcess extends AsyncDisposable {
  /** Kills it, so that it can end nothing. Resolves when it is gone. */
  kill(): Promise<void>
  /** Lets it drain its connections. Resolves when it is gone. */
  stop(): Promise<void>
}

/** Starts a gateway on a port. Resolves when it listens. */
export async function startGatewayProcess(queueUrl: string, port: number): Promise<GatewayProcess> {
  const program = join(import.meta.dirname, 'gateway.ts')
  const child = spawn(process.execPath, ['--conditions=@headrace/source', program, queueUrl, `${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit').finally(() => process.off('exit', killAtExit))
  await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error('The gateway did not start.'))),
  ])
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  return { kill: () => end('SIGKILL'), stop: () => end('SIGTERM'), [Symbol.asyncDispose]: () => end('SIGKILL') }
}
