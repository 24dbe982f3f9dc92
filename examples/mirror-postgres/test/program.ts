import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Program extends AsyncDisposable {
  readonly firstLine: Promise<string>
  stop(): Promise<number | null>
  kill(): Promise<void>
}

const root = join(import.meta.dirname, '../../..')

export function startCommand(args: readonly string[]): Program {
  return startProgram([join(root, 'packages/cli/bin/connector.js'), ...args])
}

/** Starts a program on Node. Its log is an error if it ends before it has printed anything. */
export function startProgram(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit').finally(() => process.off('exit', killAtExit))
  let log = ''
  child.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-10_000)
  })
  const firstLine = Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => line as string),
    exited.then(() => Promise.reject(new Error(`${args[0]} ended:\n${log}`))),
  ])
  firstLine.catch(() => {})
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const stop = async () => {
    child.kill('SIGTERM')
    const [code] = await exited
    return code as number | null
  }
  return { firstLine, stop, kill, [Symbol.asyncDispose]: kill }
}
