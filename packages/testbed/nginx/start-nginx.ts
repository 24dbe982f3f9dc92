import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePorts } from '../kafka/free-ports.ts'

export interface Nginx extends AsyncDisposable {
  readonly url: string
  readonly folder: string
  /** Of the process that starts the others. */
  readonly pid: number
}

const guide = join(import.meta.dirname, '../../../docs/guides/caching.md')
const [program, njs] = ['/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_http_js_module.so']
/** A file without which nginx cannot be started. */
export const missingNginxFile: string | undefined = [program, njs].find((file) => !existsSync(file))

/** With the files of the guide, in a folder of their own. */
export async function startNginx(gatewayUrl: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-nginx-'))
  const [port] = await freePorts(1)
  const page = await readFile(guide, 'utf8')
  const [settings, script] = ['nginx', 'js'].map((language) => page.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!)
  const places: [string, string][] = [
    ['127.0.0.1:8080', new URL(gatewayUrl).host],
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['/etc/nginx', folder],
    ['/var/cache/nginx', folder],
    ['/var/log/nginx', folder],
  ]
  for (const [place] of places) if (!settings!.includes(place)) throw new Error(`${guide} no longer has "${place}".`)
  await writeFile(join(folder, 'headrace.js'), script!)
  await writeFile(
    join(folder, 'headrace.conf'),
    places.reduce((text, [from, to]) => text.replaceAll(from, to), settings!),
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  await mkdir(join(folder, 'logs'))
  await writeFile(
    join(folder, 'nginx.conf'),
    `load_module ${njs}; daemon off; worker_processes 1; pid ${folder}/nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {} http { sendfile on; tcp_nopush on; ${temporary.join(' ')} include ${folder}/headrace.conf; }`,
  )
  const child = spawn(program, ['-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while ((await fetch(`${url}/health/live`).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}.`)
    await setTimeout(20)
  }
  return {
    url,
    folder,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
