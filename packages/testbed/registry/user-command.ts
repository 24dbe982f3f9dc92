import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { environment } from '../environment.ts'
import type { PackedRegistry } from './start-registry.ts'

/** The variables of a user's shell outside this repository, with the local registry and the given Node. */
export function userEnvironment(
  { url, npmCache }: Pick<PackedRegistry, 'url' | 'npmCache'>,
  node: string = process.execPath,
): Record<string, string> {
  return {
    ...environment.outside,
    PATH: [dirname(node), environment.outside.PATH].join(delimiter),
    npm_config_registry: url,
    npm_config_cache: npmCache,
    npm_config_noproxy: '127.0.0.1',
    // A package in the cache is not requested again.
    npm_config_prefer_offline: 'true',
  }
}

/** A running command line. */
export interface UserCommand {
  readonly line: string
  /** The output so far, of stdout and stderr. */
  output(): string
  stdout(): string
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>
  /** Sends SIGINT, as Ctrl-C does, and waits for the end. */
  interrupt(): Promise<void>
  /** Sends SIGKILL to it and all its children. */
  kill(): void
}

/** Runs a command line with `sh` in a folder, in its own process group, as a terminal does. */
export function typeLine(line: string, folder: string, env: Record<string, string>): UserCommand {
  const child = spawn('sh', ['-c', line], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: { out: string; both: string } = { out: '', both: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text
    printed.both += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.both += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    line,
    output: () => printed.both,
    stdout: () => printed.out,
    ended,
    async interrupt() {
      signalGroup(child, 'SIGINT')
      const late = pause(graceMs, 'late' as const, { ref: false })
      if ((await Promise.race([ended, late])) !== 'late') return
      signalGroup(child, 'SIGKILL')
      throw new Error(`"${line}" had not ended ${graceMs / 1000} s after Ctrl-C. It printed:\n${printed.both}`)
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  }
}

/** Runs a command line to its end. */
export async function typeToEnd(line: string, folder: string, env: Record<string, string>): Promise<UserCommand> {
  const command = typeLine(line, folder, env)
  const code = await command.ended
  if (code !== 0) throw new Error(`"${line}" ended with ${code}. It printed:\n${command.output()}`)
  return command
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch (error) {
    // The whole group has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const graceMs = 30_000
