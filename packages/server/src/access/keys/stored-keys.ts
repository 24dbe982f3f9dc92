import { createSystemTopics, systemTopics } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { readTopic } from '../../topics/read-topic.ts'
import { type ApiKey, decodeApiKey, isUsable } from './api-key.ts'

export interface StoredKey {
  readonly key: ApiKey
  readonly offset: bigint
}

/** @throws {UserError} `unknown_key` */
export async function requireKey(queue: Queue, id: string): Promise<StoredKey> {
  await createSystemTopics(queue)
  const record = await queue.latest(systemTopics.keys, 0, Buffer.from(id))
  if (!record?.value) throw unknownKey(id)
  return { key: decodeApiKey(record.value), offset: record.offset }
}

/**
 * Unlike `requireKey`, it does not create the system topics.
 *
 * @throws {UserError} `unknown_key`
 */
export async function checkKeyExists(queue: Queue, id: string): Promise<void> {
  const keys = await listKeys(queue)
  if (!keys.some((key) => key.id === id)) throw unknownKey(id)
}

export async function wasRevokedSince(queue: Queue, { key: { id }, offset }: StoredKey): Promise<boolean> {
  for await (const batch of readTopic(queue, systemTopics.keys, offset + 1n)) {
    for (const { key, value } of batch.records()) {
      const isOfKey = key && value && Buffer.from(key).equals(Buffer.from(id))
      if (isOfKey && decodeApiKey(value).revoked !== undefined) return true
    }
  }
  return false
}

/** Gateways read them a moment later, in this order. */
export async function storeKeys(queue: Queue, ...keys: readonly ApiKey[]): Promise<void> {
  const place = { topic: systemTopics.keys, time: Date.now() }
  await queue.append(
    keys.map((key) => ({ ...place, key: Buffer.from(key.id), value: Buffer.from(JSON.stringify(key)) })),
  )
}

function unknownKey(id: string): UserError {
  return new UserError('unknown_key', `There is no key with the id ${JSON.stringify(id)}.`)
}

export interface ListedKey extends Omit<ApiKey, 'hash' | 'publicKey'> {
  readonly state: 'usable' | 'expired' | 'revoked'
}

/** Revoked and expired keys too, in order of creation. */
export async function listKeys(queue: Queue): Promise<ListedKey[]> {
  const keys = new Map<string, ApiKey>()
  for await (const batch of readTopic(queue, systemTopics.keys)) {
    for (const { key, value } of batch.records()) {
      if (!key) continue
      const id = Buffer.from(key).toString()
      if (value) keys.set(id, decodeApiKey(value))
      else keys.delete(id)
    }
  }
  const now = Date.now()
  return [...keys.values()]
    .sort((a, b) => (a.created < b.created ? -1 : 1))
    .map(({ hash, publicKey, ...key }) => {
      return { ...key, state: key.revoked !== undefined ? 'revoked' : isUsable(key, now) ? 'usable' : 'expired' }
    })
}

/**
 * Gateways then refuse the key and close its connections. Revoking twice has no effect.
 *
 * @throws {UserError} `unknown_key`
 */
export async function revokeKey(queue: Queue, id: string): Promise<void> {
  const { key } = await requireKey(queue, id)
  if (key.revoked === undefined) await storeKeys(queue, { ...key, revoked: new Date().toISOString() })
}
