import { type Queue, UserError } from '@headrace/queue'
import { isUsable } from './api-key.ts'
import { type CreatedKey, checkExpiry, newKeyId, type ShowKey } from './create-key.ts'
import { generateKey, hashKey } from './key-format.ts'
import { requireKey, revokeKey, storeKeys, wasRevokedSince } from './stored-keys.ts'

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
    id: newKeyId(),
    hash: hashKey(key),
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
