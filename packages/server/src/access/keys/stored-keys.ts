import { createSystemTopics, systemTopics } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { type ApiKey, decodeApiKey, encodeApiKey } from './api-key.ts'

/**
 * The key with an id, as it is stored now.
 *
 * @throws {UserError} `unknown_key`
 */
export async function requireKey(queue: Queue, id: string): Promise<ApiKey> {
  await createSystemTopics(queue)
  const record = await queue.latest(systemTopics.keys, 0, Buffer.from(id))
  if (!record?.value) throw new UserError('unknown_key', `There is no key with the id ${JSON.stringify(id)}.`)
  return decodeApiKey(record.value)
}

/** Stores keys in place of what was stored under their ids. Gateways read them a moment later, in this order. */
export async function storeKeys(queue: Queue, ...keys: readonly ApiKey[]): Promise<void> {
  await queue.append(
    keys.map((key) => ({
      topic: systemTopics.keys,
      key: Buffer.from(key.id),
      value: encodeApiKey(key),
      time: Date.now(),
    })),
  )
}
