import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import { freePorts } from '../kafka/free-ports.ts'

export interface Postgres extends AsyncDisposable {
  /** Without a password. */
  readonly url: string
  readonly port: number
  /** Kills the server with SIGKILL, and starts it again on the same port. Resolves when it accepts connections. */
  crash(): Promise<void>
}

/** The newest PostgreSQL of this machine, as Debian's `postgresql` installs it; `undefined` if there is none. */
export function findPostgres(): string | undefined {
  const folders = globSync('/usr/lib/postgresql/*/bin/initdb')
  return folders
    .map((file) => join(file, '..'))
    .toSorted((a, b) => versionOf(a) - versionOf(b))
    .at(-1)
}

/** @param settings - Of the server, such as `track_commit_timestamp=on`. */
export async function startPostgres(binaries: string, settings: readonly string[] = []): Promise<Postgres> {
  const user = await userFor()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-postgres-'))
  if (user) await chown(folder, user.uid, user.gid)
  const options = { ...user, cwd: folder }
  await execa(
    join(binaries, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'headrace', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  )

  const [port] = await freePorts(1)
  // A killed server loses nothing without fsync: only the machine could.
  const fixed = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const flags = [...fixed, ...settings].flatMap((one) => ['-c', one])
  let server = await start()
  const killAtExit = () => server.process.kill('SIGKILL')
  process.once('exit', killAtExit)
  return {
    url: `postgres://headrace@127.0.0.1:${port}/postgres`,
    port: port!,
    async crash() {
      server.process.kill('SIGKILL')
      await server.exited
      server = await start()
    },
    async [Symbol.asyncDispose]() {
      // Fast shutdown: connections are ended.
      server.process.kill('SIGINT')
      await server.exited
      process.off('exit', killAtExit)
      await rm(folder, { recursive: true })
    },
  }

  async function start() {
    // Until the processes of a killed server have ended, a new one refuses to start.
    for (let attempt = 1; ; attempt++) {
      const child = spawn(join(binaries, 'postgres'), ['-D', join(folder, 'data'), '-p', `${port}`, ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const exited = once(child, 'exit')
      try {
        await untilReady(child.stderr)
        return { process: child, exited }
      } catch (error) {
        if (attempt === startAttempts) throw error
        await delay(100)
      }
    }
  }
}

const startAttempts = 50

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
