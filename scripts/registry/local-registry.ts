import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { runServer } from 'verdaccio'
import { environment } from './environment.ts'
import type { Tarball } from './tarballs.ts'
import type { Upstream } from './upstream.ts'

/** A registry on this machine that has the given packages, and of all others what its upstream has. */
export interface LocalRegistry {
  readonly url: string
  stop(): Promise<void>
}

/** Starts it with its storage in a folder and publishes to it. */
export async function startLocalRegistry(options: {
  readonly folder: string
  readonly upstream: Upstream
  readonly tarballs: readonly Tarball[]
}): Promise<LocalRegistry> {
  await mkdir(options.folder, { recursive: true })
  const server = await runServer(configuration(options))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  try {
    await publish(url, options)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

function configuration({ folder, upstream, tarballs }: Parameters<typeof startLocalRegistry>[0]) {
  const open = { access: ['$all'], publish: ['$all'] }
  // Without `proxy`: packages of the same name that are published elsewhere must not be mixed in.
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

async function publish(url: string, { folder, tarballs }: { folder: string; tarballs: readonly Tarball[] }) {
  // npm publishes with a token only. This one means nothing to anybody.
  const token = `--${url.replace('http:', '')}:_authToken=none`
  const flags = ['--registry', url, token, '--cache', join(folder, 'npm-cache'), '--loglevel=error']
  await Promise.all(
    tarballs.map(({ file }) =>
      execa('npm', ['publish', file, ...flags], { cwd: folder, env: environment.outside, extendEnv: false }),
    ),
  )
}
