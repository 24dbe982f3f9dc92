import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

export interface ConnectorProcess extends AsyncDisposable {
  readonly lines: AsyncIterableIterator<string>
  /** Rejects with its last log lines if it ends unexpectedly. */
  readonly ended: Promise<never>
}

/** Starts the command's bin file directly, so that it gets signals. Its log is shown only if it fails. */
export function startConnector(args: readonly string[]): ConnectorProcess {
  const child = spawn(process.execPath, [bin, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit').finally(() => process.off('exit', killAtExit))
  let stopping = false
  const log = keepLastLines(child)
  const ended = exited.then(([code, signal]): Promise<never> => {
    if (stopping) return new Promise(() => {})
    throw new Error(`connector ${args[0]} ended (${signal ?? `exit code ${code}`}):\n${log.join('\n')}`)
  })
  ended.catch(() => {})
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    ended,
    async [Symbol.asyncDispose]() {
      stopping = true
      child.kill('SIGTERM')
      const late = new AbortController()
      await Promise.race([exited, delay(stopDeadlineMs, undefined, { signal: late.signal }).catch(() => {})])
      late.abort()
      child.kill('SIGKILL')
      await exited
    },
  }
}

export async function firstLine(command: ConnectorProcess): Promise<string> {
  const { value } = await Promise.race([command.lines.next(), command.ended])
  return value ?? command.ended
}

function keepLastLines(child: ChildProcess): string[] {
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
  })
  return lines
}

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'packages/cli/bin/connector.js')
const stopDeadlineMs = 15_000
const keptLines = 20
