import { subschemas } from './subschemas.ts'

/** Whether a setting, or something in it, is marked as a secret. Nothing of the setting is shown then. */
export function holdsSecret(setting: unknown): boolean {
  return [...subschemas(setting)].some(({ schema }) => schema.writeOnly === true)
}
