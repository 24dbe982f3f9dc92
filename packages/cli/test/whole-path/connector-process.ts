import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type CommandResult, runInProcess } from '../command-in-process.ts'

export const bin = fileURLToPath(new URL('../../bin/connector.js', import.meta.url))

export interface ConnectorProcess {
  readonly child: ChildProcess
  /** Resolves when the process has ended. The standard error is without the message about connecting. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
}

export interface StartOptions {
  /** Whether it leads a process group of its own, as a command in a terminal does. */
  readonly detached?: boolean
}

/** Starts the committed bin under the Node that runs the tests. `variables` are added to its environment. */
export function startConnector(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  { detached = false }: StartOptions = {},
): ConnectorProcess {
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], detached })
  const stdout = gather(child.stdout)
  const stderr = gather(child.stderr)
  const ended = once(child, 'close').then(([code, signal]) => ({
    ...{ code, signal, stdout: stdout() },
    stderr: stderr().replace(connecting, ''),
  }))
  return { child, ended }
}

/** Printed if connecting takes longer than a second, as it may on a busy machine. */
const connecting = /^.*Connecting to kafka:.*\n/gm

/**
 * Runs a command to its end: in this process, except for those that start processes. A connector is loaded once, however
 * its files change: use `startConnector` to run the changed one.
 */
export async function connector(...args: string[]): Promise<CommandResult> {
  const { code, stdout, stderr } = ownProcess.has(args[0]!)
    ? await startConnector(args).ended
    : await runInProcess(args, { variables: process.env })
  return { code: code!, stdout, stderr: stderr.replace(connecting, '') }
}

const ownProcess = new Set(['serve', 'dev'])

function gather(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}
