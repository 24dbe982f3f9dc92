import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalRegistry } from './local-registry.ts'
import { packPackages, type Tarball } from './tarballs.ts'
import { findUpstream } from './upstream.ts'

/** This repository's packages as a user gets them, and all others, from a registry of one's own. */
export interface PackedRegistry {
  readonly url: string
  readonly tarballs: readonly Tarball[]
  /** An npm cache that was empty when the registry started. */
  readonly npmCache: string
  stop(): Promise<void>
}

/** Packs and publishes the packages as they were last built. Everything lies in a temporary folder, which `stop` removes. */
export async function startRegistry(): Promise<PackedRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-registry-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const [tarballs, upstream] = await Promise.all([packPackages(join(folder, 'tarballs')), findUpstream()])
    const registry = await startLocalRegistry({ folder: join(folder, 'registry'), upstream, tarballs })
    return {
      url: registry.url,
      tarballs,
      npmCache: join(folder, 'npm-cache'),
      stop: async () => {
        await registry.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
