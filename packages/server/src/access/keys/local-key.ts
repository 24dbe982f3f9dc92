import type { ApiKey } from './api-key.ts'
import { identityOf } from './create-key.ts'
import type { Environment } from './key-format.ts'

const unlimited = 1_000_000

/** A key that one gateway accepts while it runs, for a program that reads through a gateway of its own. Never stored. */
export function localKey(key: string, environment: Environment): ApiKey {
  return {
    ...identityOf(key),
    ...{ name: 'the process of the gateway', environment, topics: ['*'], origins: [], requireOrigin: false },
    ...{ rate: unlimited, burst: unlimited, connections: unlimited, created: new Date().toISOString() },
  }
}
