import { createSystemTopics } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { checkOrigin } from '../origins/origin.ts'
import { deriveTokenKey, keyIdOf } from '../tokens/token-key.ts'
import { type ApiKey, isUsable } from './api-key.ts'
import { generateKey, hashKey } from './key-format.ts'
import { requireKey, revokeKey, storeKeys, wasRevokedSince } from './stored-keys.ts'
import { isTopicPattern } from './topic-pattern.ts'

type OptionalMember = 'topics' | 'origins' | 'requireOrigin' | 'rate' | 'burst' | 'connections'

export interface NewKey extends Pick<ApiKey, 'name' | 'environment'>, Partial<Pick<ApiKey, OptionalMember>> {
  readonly expires?: Date
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
  const { name, environment, topics = ['*'], origins = [], requireOrigin = false, expires } = options
  const { rate = 100, burst = 200, connections = 100 } = options
  const key = generateKey(environment)
  const stored: ApiKey = {
    ...identityOf(key),
    ...{ name, environment, topics, origins, requireOrigin },
    ...{ rate, burst, connections, created: new Date().toISOString() },
    ...(expires && { expires: expires.toISOString() }),
  }
  await createSystemTopics(queue)
  const created = { key, id: stored.id }
  await options.show?.(created)
  await storeKeys(queue, stored)
  return created
}

export interface RotateKeyOptions {
  /** Time in ms for which the old key stays valid at most. 0 revokes it at once. Default one day. */
  readonly graceMs?: number
  /** Default: as the old key. */
  readonly expires?: Date
  /** Called with the new key before it is stored. If it throws, nothing changes. */
  readonly show?: ShowKey
}

const dayMs = 86_400_000

/**
 * Creates a key with the rights and limits of an old one, which stays valid for the grace. Until then, each of the two
 * has the full limits. A key can be rotated only once.
 *
 * @throws {UserError} `unknown_key`; `key_not_usable`: it has expired, was revoked or rotated; `invalid_key_options`.
 */
export async function rotateKey(queue: Queue, id: string, options: RotateKeyOptions = {}): Promise<CreatedKey> {
  const { graceMs = dayMs, expires, show } = options
  if (!(graceMs >= 0 && graceMs <= 365 * dayMs))
    throw new UserError('invalid_key_options', `The grace is ${graceMs} ms; 0 to 365 days are allowed.`)
  checkExpiry(expires)
  const now = Date.now()
  const stored = await requireKey(queue, id)
  const { key: old } = stored
  if (old.replacedBy !== undefined)
    throw new UserError('key_not_usable', `The key "${id}" was replaced by "${old.replacedBy}". Rotate that one.`)
  if (!isUsable(old, now))
    throw new UserError(
      'key_not_usable',
      `The key "${id}" ${old.revoked === undefined ? 'has expired' : 'was revoked'}. Create a new one.`,
    )
  const key = generateKey(old.environment)
  const made = {
    ...old,
    ...identityOf(key),
    created: new Date(now).toISOString(),
    ...(expires && { expires: expires.toISOString() }),
  }
  const end = Math.min(now + graceMs, old.expires === undefined ? Infinity : Date.parse(old.expires))
  const time = new Date(end).toISOString()
  const replaced = { ...old, replacedBy: made.id }
  await show?.({ key, id: made.id })
  await storeKeys(queue, made, graceMs === 0 ? { ...replaced, revoked: time } : { ...replaced, expires: time })
  // The record just stored may have replaced a revocation that came after the key was read.
  if (await wasRevokedSince(queue, stored)) await revokeKey(queue, id)
  return { key, id: made.id }
}

function identityOf(key: string): Pick<ApiKey, 'id' | 'hash' | 'publicKey'> {
  const { publicKey } = deriveTokenKey(key)
  return { id: keyIdOf(publicKey), hash: hashKey(key), publicKey }
}

/** @throws {UserError} `invalid_key_options` */
export function checkNewKey(options: NewKey): void {
  if (options.name.trim() === '' || options.name.length > 100)
    fail(
      `The name of a key must have 1 to 100 characters that are not all spaces. This one has ${options.name.length}.`,
    )
  const [hidden] = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(options.name) ?? []
  if (hidden !== undefined)
    fail(
      `The name of a key holds the character U+${hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}. ` +
        'Allowed are 1 to 100 printable characters on one line.',
    )
  for (const pattern of options.topics ?? [])
    if (!isTopicPattern(pattern))
      fail(`${JSON.stringify(pattern)} is not a topic pattern: a topic name in which * matches any characters.`)
  if (options.topics?.length === 0) fail('A key needs at least one topic pattern; "*" covers every topic.')
  for (const origin of options.origins ?? []) {
    const wrong = checkOrigin(origin, options.environment)
    if (wrong !== undefined) fail(wrong)
  }
  for (const name of ['rate', 'burst', 'connections'] as const) {
    const value = options[name]
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 1_000_000))
      fail(`${name} is ${value}; a whole number from 1 to 1,000,000 is allowed.`)
  }
  checkExpiry(options.expires)
}

function checkExpiry(expires: Date | undefined): void {
  if (expires !== undefined && Number.isNaN(expires.getTime())) fail('expires is not a valid date.')
}

function fail(message: string): never {
  throw new UserError('invalid_key_options', message)
}
