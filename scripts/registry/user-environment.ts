import { delimiter, dirname } from 'node:path'
import { environment } from './environment.ts'
import type { PackedRegistry } from './start-registry.ts'

/** The variables of somebody who works outside this repository, with a registry of ours and with the given Node. */
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
    // What the cache has of this registry is not asked for again.
    npm_config_prefer_offline: 'true',
  }
}
