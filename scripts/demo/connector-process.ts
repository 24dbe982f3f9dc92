import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'

export interface ConnectorProcess extends AsyncDisposable {
  readonly lines: AsyncIterableIterator<string>
  /** Rejects with its last log lines if it ends unexpectedly. */
  readonly ended: Promise<never>
}

/** Starts the command's bin file directly, so that it gets signals. Its log is shown only if it fails. */
export function startConnector(args: readonly string[]): ConnectorProcess {
  const child = execa(process.execPath, [bin, ...args], {
    ...{ cwd: root, stdin: 'ignore', reject: false, buffer: false, forceKillAfterDelay: stopDeadlineMs },
  })
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (log.length > keptLines) log.shift()
  })
  let stopping = false
  const ended = child.then(({ signal, exitCode }): Promise<never> => {
    if (stopping) return new Promise(() => {})
    throw new Error(`connector ${args[0]} ended (${signal ?? `exit code ${exitCode}`}):\n${log.join('\n')}`)
  })
  ended.catch(() => {})
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    ended,
    async [Symbol.asyncDispose]() {
      stopping = true
      child.kill()
      await child
    },
  }
}

export async function firstLine(command: ConnectorProcess): Promise<string> {
  const { value } = await Promise.race([command.lines.next(), command.ended])
  return value ?? command.ended
}

const root = join(import.meta.dirname, '../..')
const bin = join(root, 'packages/cli/bin/connector.js')
const stopDeadlineMs = 15_000
const keptLines = 20
