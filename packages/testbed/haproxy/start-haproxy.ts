import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfiguration } from '../guide/configuration.ts'
import { freePorts } from '../kafka/free-ports.ts'
import { untilServing } from '../until-serving.ts'

export interface Haproxy extends AsyncDisposable {
  readonly url: string
  /** What it has printed: requests, and gateways that are down or up. */
  log(): string
}

const program = '/usr/sbin/haproxy'
/** A file without which HAProxy cannot be started. */
export const missingHaproxyFile: string | undefined = existsSync(program) ? undefined : program

/**
 * With the configuration of `docs/guides/scale.md`.
 *
 * @param gateways - `host:port` of each, by the one that the guide has in its place.
 */
export async function startHaproxy(gateways: Readonly<Record<string, string>>): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-haproxy-'))
  const [port] = await freePorts(1)
  const file = join(folder, 'haproxy.cfg')
  const places = { ...gateways, 'bind :80 ': `bind 127.0.0.1:${port} `, 'maxconn 100000': 'maxconn 1000' }
  await writeFile(file, await readConfiguration('scale.md', 'haproxy', places))
  // Without its child process, so that SIGTERM ends it.
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let log = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text) => {
      log += text
    })
  const url = `http://127.0.0.1:${port}`
  await untilServing(child, url, () => log)
  return {
    url,
    log: () => log,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
