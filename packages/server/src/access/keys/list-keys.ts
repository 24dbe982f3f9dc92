import { systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readTopic } from '../../operations/read-topic.ts'
import { type ApiKey, decodeApiKey, isUsable } from './api-key.ts'

/** A key as operators see it: without what it could be found out by. */
export interface ListedKey extends Omit<ApiKey, 'hash'> {
  readonly state: 'usable' | 'expired' | 'revoked'
}

/** Every key that was ever created, in order of creation. */
export async function listKeys(queue: Queue): Promise<ListedKey[]> {
  const keys = new Map<string, ApiKey>()
  for await (const batch of readTopic(queue, systemTopics.keys)) {
    for (const { key, value } of batch.records()) {
      if (!key) continue
      const id = Buffer.from(key).toString('utf8')
      if (value) keys.set(id, decodeApiKey(value))
      else keys.delete(id)
    }
  }
  const now = Date.now()
  return [...keys.values()]
    .sort((a, b) => (a.created < b.created ? -1 : 1))
    .map(({ hash, ...key }) => ({ ...key, state: stateOf(key, now) }))
}

function stateOf(key: Omit<ApiKey, 'hash'>, now: number): ListedKey['state'] {
  if (key.revoked !== undefined) return 'revoked'
  return isUsable(key, now) ? 'usable' : 'expired'
}
