import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Both commands that make a project: the file, and the arguments that come first. */
export const commands = {
  'create-connector': [fileURLToPath(new URL('../bin/create-connector.js', import.meta.url))],
  'connector new': [fileURLToPath(new URL('../../cli/bin/connector.js', import.meta.url)), 'new'],
} as const

export type CommandName = keyof typeof commands

export interface ScaffoldProcess {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

export function startScaffold(
  name: CommandName,
  folder: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): ScaffoldProcess {
  const child = spawn(process.execPath, [...commands[name], ...args], {
    cwd: folder,
    env: { ...userVariables(), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return { child, output: () => stdout + stderr, ended }
}

/** The variables of this process without those of the package manager that started it, with its Node first in PATH. */
export function userVariables(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$|^NODE_(?!COMPILE_CACHE$)/i.test(name))
  return { ...Object.fromEntries(own), PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
}
