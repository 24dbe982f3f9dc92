import type { SettingsSchema } from './manifest.ts'

/** The defaults of settings by name; `undefined` for one that has none. */
export function settingDefaults({ properties = {} }: SettingsSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.default]))
}
