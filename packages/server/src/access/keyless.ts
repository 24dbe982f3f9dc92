import type { ApiKey } from './keys/api-key.ts'
import type { Environment } from './keys/key-format.ts'

/** The id under which the usage of all callers without a key is counted. */
export const keylessId = 'keyless'

/** What callers without a key may read of history: live data needs a key. The limits are for each address. */
export interface KeylessOptions {
  /** Requests per second, 1–1,000,000. */
  readonly rate: number
  /** Requests at once, 1–1,000,000. */
  readonly burst: number
  /** Topic names in which `*` matches any characters, at least one. */
  readonly topics: readonly string[]
}

/** Stands for the key of callers that have none. */
export function keylessKey(rights: KeylessOptions, environment: Environment): ApiKey {
  return {
    ...{ id: keylessId, name: 'requests without a key', hash: '', environment, origins: [], requireOrigin: false },
    ...{ ...rights, connections: 0, created: '' },
  }
}
