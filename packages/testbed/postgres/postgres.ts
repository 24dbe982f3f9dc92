import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { freePorts } from '../kafka/free-ports.ts'

export interface Postgres extends AsyncDisposable {
  /** Without a password. */
  readonly url: string
}

/** The newest PostgreSQL of this machine, as Debian's `postgresql` installs it; `undefined` if there is none. */
export function findPostgres(): string | undefined {
  const folders = globSync('/usr/lib/postgresql/*/bin/initdb')
  return folders
    .map((file) => join(file, '..'))
    .toSorted((a, b) => versionOf(a) - versionOf(b))
    .at(-1)
}

export async function startPostgres(binaries: string): Promise<Postgres> {
  const user = await userFor()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-postgres-'))
  if (user) await chown(folder, user.uid, user.gid)
  const options = { ...user, cwd: folder }
  await execa(
    join(binaries, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'headrace', '-A', 'trust', '-E', 'UTF8'],
    options,
  )

  const [port] = await freePorts(1)
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`].flatMap((one) => ['-c', one])
  const server = spawn(join(binaries, 'postgres'), ['-D', join(folder, 'data'), '-p', `${port}`, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const killAtExit = () => server.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(server, 'exit').finally(() => process.off('exit', killAtExit))
  await untilReady(server.stderr!)
  return {
    url: `postgres://headrace@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      // Fast shutdown: connections are ended.
      server.kill('SIGINT')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

/** PostgreSQL refuses to run as root, so it runs as another user. */
async function userFor(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(user![2]), gid: Number(user![3]) }
}

async function untilReady(log: NodeJS.ReadableStream): Promise<void> {
  const lines: string[] = []
  const reader = createInterface({ input: log })
  await new Promise<void>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line)
      if (line.includes('ready to accept connections')) resolve()
    })
    reader.on('close', () => reject(new Error(`PostgreSQL ended:\n${lines.join('\n')}`)))
  })
}

function versionOf(folder: string): number {
  return Number(folder.split('/').at(-2))
}
