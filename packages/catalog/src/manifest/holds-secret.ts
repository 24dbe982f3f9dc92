import { subschemas } from './subschemas.ts'

/**
 * Whether a setting, or something in it, is marked as a secret. Nothing of the setting is shown then.
 *
 * @param schema - The schema of all settings, into which references of the setting point.
 */
export function holdsSecret(setting: unknown, schema: unknown, followed: Set<string> = new Set()): boolean {
  return [...subschemas(setting)].some(({ schema: { writeOnly, $ref } }) => {
    if (writeOnly === true) return true
    if (typeof $ref !== 'string' || followed.has($ref)) return false
    followed.add($ref)
    return holdsSecret(referenced($ref, schema), schema, followed)
  })
}

/** What `#/$defs/NAME` refers to. */
function referenced(reference: string, schema: unknown): unknown {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], schema)
}
