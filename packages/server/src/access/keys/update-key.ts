import { type Queue, UserError } from '@headrace/queue'
import type { ApiKey } from './api-key.ts'
import { checkKeyOptions, type KeyOptions } from './key-options.ts'
import { type ListedKey, listed, requireKey, storeChange } from './stored-keys.ts'

type Removable = 'rate' | 'burst' | 'quota' | 'contact' | 'expires'

/** The members to change. `null` removes one: then the default of the gateway applies, or none. */
export type KeyChange = Omit<KeyOptions, Removable> & { readonly [Name in Removable]?: KeyOptions[Name] | null }

const changeable = [
  ...(['name', 'topics', 'origins', 'requireOrigin', 'rate', 'burst', 'connections'] as const),
  ...(['quota', 'contact', 'expires'] as const),
] satisfies readonly (keyof KeyChange)[]

/**
 * Changes a key. Gateways apply the change within 2 s, also to open streams: one with a topic that the key no longer
 * covers ends with `permission_lost`, and all end with `key_revoked` if the key has expired. A lower limit of connections
 * ends no stream: new ones are refused until there are fewer. A change at the same time as other changes of the key,
 * from any process, keeps their members, and never a revoked key usable. An expired key may get a later expiry.
 *
 * @throws {UserError} `unknown_key`; `key_not_usable`: it was revoked; `invalid_key_options`.
 */
export async function updateKey(queue: Queue, id: string, change: KeyChange): Promise<ListedKey> {
  const stored = await requireKey(queue, id)
  checkKeyOptions(withoutRemoved(change) as KeyOptions, stored.key.environment)
  if (stored.key.revoked !== undefined)
    throw new UserError('key_not_usable', `The key "${id}" was revoked. Create a new one.`)
  const given = Object.fromEntries(changeable.filter((name) => change[name] !== undefined).map(entryOf))
  return listed(await storeChange(queue, stored, (key) => withoutRemoved({ ...key, ...given }) as ApiKey))

  function entryOf(name: keyof KeyChange): [name: string, value: unknown] {
    const value = change[name]
    return [name, value instanceof Date ? value.toISOString() : value]
  }
}

function withoutRemoved(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}
