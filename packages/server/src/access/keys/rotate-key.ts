import { type Queue, UserError } from '@headrace/queue'
import { isUsable } from './api-key.ts'
import { type CreatedKey, checkExpiry, newKeyId, type ShowKey } from './create-key.ts'
import { generateKey, hashKey } from './key-format.ts'
import { requireKey, revokeKey, storeKeys, wasRevokedSince } from './stored-keys.ts'

export interface RotateKeyOptions {
  /** How long the old key goes on, in ms, unless it expires before. 0 revokes it at once. Default a day. */
  readonly graceMs?: number
  /** When the new key expires. Default: when the old one would have. */
  readonly expires?: Date
  /** Takes the new key before it is stored. Where it throws, no key is made, and the old one stays as it is. */
  readonly show?: ShowKey
}

const dayMs = 86_400_000

/**
 * Makes a new key with the rights and limits of an old one, which goes on until the grace ends: then its open
 * connections are closed, as when a key is revoked. One that is revoked meanwhile stays so. Each of the two has the
 * limits for itself meanwhile. A key is rotated once, and the new one after it.
 *
 * @returns the new key, which is stored nowhere and cannot be shown again, and its id.
 * @throws {UserError} `unknown_key`; `key_not_usable`: the key has expired, was revoked or has been rotated;
 *   `invalid_key_options`.
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
  // A revocation between the reading and the storing has just been overwritten.
  if (await wasRevokedSince(queue, stored)) await revokeKey(queue, id)
  return { key, id: made.id }
}
