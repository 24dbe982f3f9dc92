import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { runServer } from 'verdaccio'
import { environment } from '../environment.ts'
import { packPackages, type Tarball } from './tarballs.ts'
import { findUpstream, type Upstream } from './upstream.ts'

/** A local registry with this repository's packages as they would be published, and all others from its upstream. */
export interface PackedRegistry {
  readonly url: string
  readonly tarballs: readonly Tarball[]
  /** An npm cache that was empty when the registry started. */
  readonly npmCache: string
  stop(): Promise<void>
}

/** Packs and publishes the packages as they were last built. `stop` removes all files. */
export async function startRegistry(): Promise<PackedRegistry> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-registry-'))
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [tarballs, upstream] = await Promise.all([packPackages(join(folder, 'tarballs')), findUpstream()])
  const options = { folder: join(folder, 'registry'), upstream, tarballs }
  await mkdir(options.folder)
  const server = await runServer(configuration(options))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  opened.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await publish(url, options)
  const running = opened.move()
  return { url, tarballs, npmCache: join(folder, 'npm-cache'), stop: () => running.disposeAsync() }
}

interface LocalRegistryOptions {
  readonly folder: string
  readonly upstream: Upstream
  readonly tarballs: readonly Tarball[]
}

function configuration({ folder, upstream, tarballs }: LocalRegistryOptions) {
  const open = { access: ['$all'], publish: ['$all'] }
  // Without `proxy`, so that versions published elsewhere are not offered.
  const own = Object.fromEntries(tarballs.map(({ name }) => [name, open]))
  return {
    configPath: join(folder, 'verdaccio.yaml'),
    self_path: join(folder, 'verdaccio.yaml'),
    storage: join(folder, 'storage'),
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
    max_body_size: '100mb',
    userRateLimit: { windowMs: 1000, max: 1_000_000 },
    uplinks: {
      upstream: {
        url: upstream.url,
        maxage: '1h',
        timeout: '60s',
        max_fails: 100,
        agent_options: { keepAlive: true, maxSockets: 40 },
        ...(upstream.ca && { ca: upstream.ca }),
        ...(upstream.proxy && { http_proxy: upstream.proxy, https_proxy: upstream.proxy }),
        ...(upstream.noproxy && { no_proxy: upstream.noproxy }),
        ...(upstream.authorization && { headers: { authorization: upstream.authorization } }),
      },
    },
    packages: { ...own, '**': { access: ['$all'], proxy: ['upstream'] } },
  }
}

async function publish(url: string, { folder, tarballs }: LocalRegistryOptions) {
  // npm publishes only with a token; any one will do.
  const token = `--${url.replace('http:', '')}:_authToken=none`
  const flags = ['--registry', url, token, '--cache', join(folder, 'npm-cache'), '--loglevel=error', '--ignore-scripts']
  const workspaces = tarballs.flatMap(({ source }) => ['--workspace', source])
  // One npm for all packages, since it takes longer to start than to publish.
  await execa('npm', ['publish', ...workspaces, ...flags], { cwd: root, env: environment.outside, extendEnv: false })
}

const root = join(import.meta.dirname, '../../..')
