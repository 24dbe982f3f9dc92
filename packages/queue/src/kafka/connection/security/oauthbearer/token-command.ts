import { spawn } from 'node:child_process'
import { UserError } from '../../../../errors.ts'
import { parseAccessToken } from './access-token.ts'
import { readText } from './read-text.ts'
import { type TokenOrigin, tokenUnavailable } from './token-source.ts'

/** A command of the shell that prints a token. Its output is never logged. */
export function tokenCommand(command: string, timeoutMs = 30_000): TokenOrigin {
  return {
    description,
    async fetch() {
      const { status, output, problem } = await run(command, timeoutMs)
      if (status === 'timed out') throw tokenUnavailable(description, `it has not ended within ${timeoutMs / 1000} s`)
      if (status === commandNotFound || status === notExecutable)
        throw new UserError('invalid_kafka_config', `${description} cannot be started${problem}. Check the command.`)
      if (status !== 0) throw tokenUnavailable(description, `it has ended with ${status}${problem}`)
      try {
        return parseAccessToken(output)
      } catch (error) {
        throw tokenUnavailable(description, `it has printed ${(error as Error).message}`)
      }
    },
  }
}

const description = 'headrace.sasl.oauthbearer.token.command'
const notExecutable = 126
const commandNotFound = 127

interface Outcome {
  readonly status: number | NodeJS.Signals | 'timed out' | null
  readonly output: string
  readonly problem: string
}

async function run(command: string, timeoutMs: number): Promise<Outcome> {
  // A group of its own, so that the programs that the shell has started end with it.
  const shell = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(shell.pid)
  }, timeoutMs)
  const exited = new Promise<Outcome['status']>((resolve, reject) => {
    shell.once('error', reject)
    shell.once('exit', (code, signal) => resolve(code ?? signal))
  })
  try {
    const [status, output, errors] = await Promise.all([exited, readText(shell.stdout), readText(shell.stderr)])
    return { status: timedOut ? 'timed out' : status, output, problem: lastLine(errors) }
  } catch (error) {
    endGroup(shell.pid)
    throw tokenUnavailable(description, (error as Error).message)
  } finally {
    clearTimeout(timer)
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

/** Words as long as a token are omitted. */
function lastLine(errors: string): string {
  const line = errors
    .trim()
    .split('\n')
    .at(-1)!
    .replaceAll(/\S{40,}/g, '…')
    .slice(0, 200)
  return line === '' ? '' : `: ${line}`
}
