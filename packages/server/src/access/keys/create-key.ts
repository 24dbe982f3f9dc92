import { randomBytes } from 'node:crypto'
import { createSystemTopics } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { checkOrigin } from '../origins/origin.ts'
import type { ApiKey } from './api-key.ts'
import { type Environment, generateKey, hashKey } from './key-format.ts'
import { storeKeys } from './stored-keys.ts'

export interface NewKey {
  /** 1–100 printable characters on one line. */
  readonly name: string
  readonly environment: Environment
  /** Topic names in which `*` matches any characters. Default `['*']`. */
  readonly topics?: readonly string[]
  /**
   * Of pages that may use it, e.g. `https://example.org`. Development keys may have `http://localhost:…`. Default any.
   */
  readonly origins?: readonly string[]
  /** Refuses requests without an `Origin` header. Default false. */
  readonly requireOrigin?: boolean
  /** Requests per second, 1–1,000,000. Default 100. */
  readonly rate?: number
  /** Requests at once, 1–1,000,000. Default 200. */
  readonly burst?: number
  /** WebSocket and SSE connections at once, 1–1,000,000. Default 100. */
  readonly connections?: number
  readonly expires?: Date
  /** Called with the key before it is stored. If it throws, no key is created. */
  readonly show?: ShowKey
}

export type ShowKey = (created: CreatedKey) => Promise<void>

const keyDefaults = { rate: 100, burst: 200, connections: 100 } as const

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
  const key = generateKey(options.environment)
  const stored: ApiKey = {
    id: newKeyId(),
    name: options.name,
    hash: hashKey(key),
    environment: options.environment,
    topics: options.topics ?? ['*'],
    origins: options.origins ?? [],
    requireOrigin: options.requireOrigin ?? false,
    rate: options.rate ?? keyDefaults.rate,
    burst: options.burst ?? keyDefaults.burst,
    connections: options.connections ?? keyDefaults.connections,
    created: new Date().toISOString(),
    ...(options.expires === undefined ? {} : { expires: options.expires.toISOString() }),
  }
  await createSystemTopics(queue)
  const created = { key, id: stored.id }
  await options.show?.(created)
  await storeKeys(queue, stored)
  return created
}

export function newKeyId(): string {
  return randomBytes(8).toString('hex')
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
    if (!/^[A-Za-z0-9._*-]{1,249}$/.test(pattern))
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

export function checkExpiry(expires: Date | undefined): void {
  if (expires !== undefined && Number.isNaN(expires.getTime())) fail('expires is not a valid date.')
}

function fail(message: string): never {
  throw new UserError('invalid_key_options', message)
}
