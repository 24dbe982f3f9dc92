import { type Queue, UserError } from '@headrace/queue'
import { isUsable } from './api-key.ts'
import { type CreatedKey, identityOf, type ShowKey } from './create-key.ts'
import { generateKey } from './key-format.ts'
import { checkKeyOptions } from './key-options.ts'
import { requireKey, storeChange, storeKeys } from './stored-keys.ts'

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
 * has the full limits and quota. A key can be rotated only once.
 *
 * @throws {UserError} `unknown_key`; `key_not_usable`: it has expired, was revoked or rotated; `invalid_key_options`.
 */
export async function rotateKey(queue: Queue, id: string, options: RotateKeyOptions = {}): Promise<CreatedKey> {
  const { graceMs = dayMs, expires, show } = options
  if (!(graceMs >= 0 && graceMs <= 365 * dayMs))
    throw new UserError('invalid_key_options', `The grace is ${graceMs} ms; 0 to 365 days are allowed.`)
  const now = Date.now()
  const stored = await requireKey(queue, id)
  const { key: old } = stored
  if (expires) checkKeyOptions({ expires }, old.environment)
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
  await show?.({ key, id: made.id })
  await storeKeys(queue, made)
  await storeChange(queue, stored, (current) => {
    const end = Math.min(now + graceMs, current.expires === undefined ? Infinity : Date.parse(current.expires))
    const time = new Date(end).toISOString()
    return { ...current, replacedBy: made.id, ...(graceMs === 0 ? { revoked: time } : { expires: time }) }
  })
  return { key, id: made.id }
}
