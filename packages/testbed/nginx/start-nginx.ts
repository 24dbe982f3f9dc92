import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfiguration } from '../guide/configuration.ts'
import { freePorts } from '../kafka/free-ports.ts'
import { untilServing } from '../until-serving.ts'

export interface Nginx extends AsyncDisposable {
  readonly url: string
  readonly folder: string
  /** Of the process that starts the others. */
  readonly pid: number
}

export interface NginxOptions {
  /** The guide that has the configuration, and its script if there is one. */
  readonly page: 'caching.md' | 'scale.md'
  /** `host:port` of each gateway, by the one that the guide has in its place. */
  readonly gateways: Readonly<Record<string, string>>
}

const [program, njs] = ['/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_http_js_module.so']
/** A file without which nginx cannot be started. */
export const missingNginxFile: string | undefined = [program, njs].find((file) => !existsSync(file))

/** With the files of a guide, in a folder of their own. */
export async function startNginx({ page, gateways }: NginxOptions): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-nginx-'))
  const [port] = await freePorts(1)
  const isCache = page === 'caching.md'
  const settings = await readConfiguration(page, 'nginx', {
    ...gateways,
    'listen 80;': `listen 127.0.0.1:${port};`,
    '/var/log/nginx': folder,
    ...(isCache && { '/etc/nginx': folder, '/var/cache/nginx': folder }),
  })
  if (isCache) await writeFile(join(folder, 'headrace.js'), await readConfiguration(page, 'js'))
  await writeFile(join(folder, 'headrace.conf'), settings)
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
  await untilServing(child, url)
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
