import { isDeepStrictEqual } from 'node:util'
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

/** Gateways read them a moment later, in this order. */
export async function storeKeys(queue: Queue, ...keys: readonly ApiKey[]): Promise<void> {
  const place = { topic: systemTopics.keys, time: Date.now() }
  await queue.append(
    keys.map((key) => ({ ...place, key: Buffer.from(key.id), value: Buffer.from(JSON.stringify(key)) })),
  )
}

/**
 * Stores a changed key and returns it. The topic is compacted and its last writer wins, so the record just stored may
 * have replaced changes that came after the key was read. Then the change is applied to these, and stored again. A
 * revocation is such a change, so none is lost.
 */
export async function storeChange(
  queue: Queue,
  { key: base, offset }: StoredKey,
  change: (current: ApiKey) => ApiKey,
): Promise<ApiKey> {
  const written = new Set<string>()
  for (let changed = change(base); ; ) {
    written.add(JSON.stringify(changed))
    await storeKeys(queue, changed)
    const merged = change(merge(base, await replacedRecords(queue, { id: base.id, from: offset + 1n, written })))
    if (isDeepStrictEqual(merged, changed)) return changed
    changed = merged
  }
}

/** The records of a key before the last one that this change has written, without its own. */
async function replacedRecords(
  queue: Queue,
  { id, from, written }: { readonly id: string; readonly from: bigint; readonly written: ReadonlySet<string> },
): Promise<readonly ApiKey[]> {
  const others: ApiKey[] = []
  let replaced = 0
  for await (const batch of readTopic(queue, systemTopics.keys, from)) {
    for (const { key, value } of batch.records()) {
      if (!key || !value || Buffer.from(key).toString() !== id) continue
      if (written.has(Buffer.from(value).toString())) replaced = others.length
      else others.push(decodeApiKey(value))
    }
  }
  return others.slice(0, replaced)
}

/** Each of the records was made from the base, or from a later one. Those that differ from it in a member changed it. */
function merge(base: ApiKey, records: readonly ApiKey[]): ApiKey {
  const merged: Record<string, unknown> = { ...base }
  for (const record of records as readonly (ApiKey & Record<string, unknown>)[])
    for (const name of new Set([...Object.keys(base), ...Object.keys(record)]))
      if (!isDeepStrictEqual(record[name], (base as ApiKey & Record<string, unknown>)[name]))
        merged[name] = record[name]
  return JSON.parse(JSON.stringify(merged))
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
  return [...keys.values()].sort((a, b) => (a.created < b.created ? -1 : 1)).map(listed)
}

export function listed({ hash, publicKey, ...key }: ApiKey): ListedKey {
  return { ...key, state: key.revoked !== undefined ? 'revoked' : isUsable(key, Date.now()) ? 'usable' : 'expired' }
}

/**
 * Unlike `requireKey`, it does not create the system topics.
 *
 * @throws {UserError} `unknown_key`
 */
export async function findKey(queue: Queue, id: string): Promise<ListedKey> {
  const found = (await listKeys(queue)).find((key) => key.id === id)
  if (!found) throw unknownKey(id)
  return found
}

/**
 * Gateways then refuse the key and close its connections. Revoking twice has no effect.
 *
 * @throws {UserError} `unknown_key`
 */
export async function revokeKey(queue: Queue, id: string): Promise<void> {
  const stored = await requireKey(queue, id)
  if (stored.key.revoked !== undefined) return
  const revoked = new Date().toISOString()
  await storeChange(queue, stored, (key) => ({ ...key, revoked: key.revoked ?? revoked }))
}
