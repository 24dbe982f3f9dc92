import { delimiter, dirname } from 'node:path'
import { environment } from '../environment.ts'
import type { PackedRegistry } from './start-registry.ts'

/** The variables of a user's shell outside this repository, with the local registry and the given Node. */
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
    // A package in the cache is not requested again.
    npm_config_prefer_offline: 'true',
  }
}
