import type { SettingsSchema } from '../manifest/manifest.ts'
import { createSettingsValidator } from '../manifest/settings-validator.ts'

/** Whether a topic name with settings in it can become another name, with values that these settings may have. */
export type ReachesName = (template: string, name: string) => boolean

export function createReachesName(config: SettingsSchema): ReachesName {
  const validator = createSettingsValidator(config)
  const allows = (setting: string, value: string): boolean => validator.checkOne(setting, value).length === 0
  return (template, name) => {
    // What is written and names of settings, in turns.
    const parts = template.split(/\{([A-Za-z_][A-Za-z0-9_]*)\}/)
    const matches = (at: number, rest: string, values: ReadonlyMap<string, string>): boolean => {
      const text = parts[at]!
      if (!rest.startsWith(text)) return false
      const left = rest.slice(text.length)
      const setting = parts[at + 1]
      if (setting === undefined) return left === ''
      const known = values.get(setting)
      if (known !== undefined) return left.startsWith(known) && matches(at + 2, left.slice(known.length), values)
      for (let length = 1; length <= left.length; length++) {
        const value = left.slice(0, length)
        const more = new Map(values).set(setting, value)
        if (matches(at + 2, left.slice(length), more) && allows(setting, value)) return true
      }
      return false
    }
    return matches(0, name, new Map())
  }
}
