import type { Queue } from '@headrace/queue'
import { requireKey, storeKeys } from './stored-keys.ts'

/**
 * Revokes a key: gateways refuse it from now on and close its open connections. Revoking twice changes nothing.
 *
 * @throws {UserError} `unknown_key`: there is no key with this id.
 */
export async function revokeKey(queue: Queue, id: string): Promise<void> {
  const { key } = await requireKey(queue, id)
  if (key.revoked === undefined) await storeKeys(queue, { ...key, revoked: new Date().toISOString() })
}
