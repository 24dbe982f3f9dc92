import { createSystemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { deriveTokenKey, keyIdOf } from '../tokens/token-key.ts'
import type { ApiKey } from './api-key.ts'
import { generateKey, hashKey } from './key-format.ts'
import { checkKeyOptions, type KeyOptions } from './key-options.ts'
import { storeKeys } from './stored-keys.ts'

export interface NewKey extends Omit<KeyOptions, 'name'>, Pick<ApiKey, 'name' | 'environment'> {
  /** Called with the key before it is stored. If it throws, no key is created. */
  readonly show?: ShowKey
}

export type ShowKey = (created: CreatedKey) => Promise<void>

export interface CreatedKey {
  /** The secret. It is not stored and cannot be shown again. */
  readonly key: string
  /** Not a secret. */
  readonly id: string
}

/**
 * Gateways accept the key a moment later.
 *
 * @throws {UserError} `invalid_key_options`
 */
export async function createKey(queue: Queue, options: NewKey): Promise<CreatedKey> {
  checkNewKey(options)
  const { name, environment, topics = ['*'], origins = [], requireOrigin = false, connections = 100 } = options
  const { rate, burst, quota, contact, expires } = options
  const key = generateKey(environment)
  const stored: ApiKey = {
    ...identityOf(key),
    ...{ name, environment, topics, origins, requireOrigin },
    ...(rate !== undefined && { rate }),
    ...(burst !== undefined && { burst }),
    connections,
    ...(quota && { quota }),
    ...(contact !== undefined && { contact }),
    created: new Date().toISOString(),
    ...(expires && { expires: expires.toISOString() }),
  }
  await createSystemTopics(queue)
  const created = { key, id: stored.id }
  await options.show?.(created)
  await storeKeys(queue, stored)
  return created
}

/** @throws {UserError} `invalid_key_options` */
export function checkNewKey(options: NewKey): void {
  checkKeyOptions(options, options.environment)
}

export function identityOf(key: string): Pick<ApiKey, 'id' | 'hash' | 'publicKey'> {
  const { publicKey } = deriveTokenKey(key)
  return { id: keyIdOf(publicKey), hash: hashKey(key), publicKey }
}
