import { type ManifestTopic, type SettingsSchema, settingDefaults } from '../manifest/manifest.ts'
import type { Project } from '../manifest/project.ts'
import { createSettingsValidator } from '../manifest/settings-validator.ts'
import { fillTemplate, settingsIn } from '../manifest/topic-name-template.ts'
import type { Problem } from '../problem.ts'
import type { FilePlace } from '../source-places.ts'
import { beginAnew } from './incompatibility.ts'

/** A topic of an earlier state of a project, and the one that has its name now. */
interface KeptTopic {
  readonly topic: ManifestTopic
  readonly before: Project
  readonly heir: ManifestTopic
  readonly after: Project
}

/**
 * Warns of a topic that the manifest still has, but that runs would not publish with the settings that they have. Which
 * these are is not known here: the defaults are compared, and examples of what was allowed.
 *
 * @param reaches - Of the settings after.
 */
export function comparePublication(kept: KeptTopic, reaches: ReachesName): Problem[] {
  const { topic, before, heir, after } = kept
  const name = fillTemplate(topic.name, settingDefaults(before.manifest.config))
  const switched = explainSwitch(name, kept)
  const renamed = explainName(name, kept, reaches)
  return [
    ...(switched === undefined ? [] : [warn(switched, after.topicPlace(heir.message, 'when'))]),
    ...(renamed === undefined ? [] : [warn(renamed, after.topicPlace(heir.message, 'name'))]),
  ]
}

/** Warns of a topic whose name the settings do not allow any more. */
export function warnOfName(name: string, { name: template, message }: ManifestTopic, project: Project): Problem {
  return warn(
    `Topic name "${name}" was published, and no settings make it of "${template}" any more: what "config" allows for ` +
      `${settingsIn(template).join(', ')} leaves it out. ${waiting} Allow the value again.`,
    project.topicPlace(message, 'name'),
  )
}

function warn(message: string, place: FilePlace): Problem {
  return { severity: 'warning', code: 'topic_not_published', ...place, message: `${message} ${beginAnew}` }
}

const waiting = 'Its readers would wait for records that never come.'

function explainSwitch(name: string, { topic, before, heir, after }: KeptTopic): string | undefined {
  if (isOnByDefault(heir, after)) return undefined
  if (isOnByDefault(topic, before))
    return (
      `Topic name "${name}" was published by default, and is only where the setting "${heir.when}" is true. ${waiting} ` +
      `Write "default: true" for "${heir.when}", or set it in each run that publishes the topic.`
    )
  if (topic.when === heir.when) return undefined
  return (
    `Topic name "${name}" was published where the setting "${topic.when}" is true, and is where "${heir.when}" is. ` +
    `${waiting} Write "when: ${topic.when}" again, or set "${heir.when}" in each run that publishes the topic.`
  )
}

function isOnByDefault({ when }: ManifestTopic, { manifest }: Project): boolean {
  return when === undefined || settingDefaults(manifest.config)[when] === true
}

function explainName(name: string, kept: KeptTopic, reaches: ReachesName): string | undefined {
  const { heir, after } = kept
  if (!reaches(heir.name, name)) return undefined
  const now = fillTemplate(heir.name, settingDefaults(after.manifest.config))
  if (now !== name)
    return (
      `Topic name "${name}" was published by default, and "${now}" is now. ${waiting} Give ` +
      `${settingsIn(heir.name).join(', ')} the default of before, or set it in each run that publishes the topic.`
    )
  const lost = namesBefore(kept).find((one) => !reaches(heir.name, one))
  if (lost === undefined) return undefined
  return (
    `Topic name "${lost}" was possible, and no settings make it of "${heir.name}" any more. Readers of such a topic ` +
    `would wait for records that never come. Write "name: ${kept.topic.name}" again, and allow the values that were allowed.`
  )
}

/** Names that a topic could have with settings that were allowed: a choice of them, since a pattern cannot be listed. */
function namesBefore({ topic, before: { manifest } }: KeptTopic): string[] {
  const { config } = manifest
  const defaults = settingDefaults(config)
  const validator = createSettingsValidator(config)
  return settingsIn(topic.name).flatMap((setting) => {
    const { enum: listed = [], pattern = '' } = config.properties![setting]!
    const words = pattern.match(/[A-Za-z0-9_-]+/g) ?? []
    const values = [...samples, ...words, ...(listed as readonly unknown[]).map(String)]
    return values
      .filter((value) => validator.checkOne(setting, value).length === 0)
      .map((value) => fillTemplate(topic.name, { ...defaults, [setting]: value }))
  })
}

const samples = ['base', 'Base', 'BASE', 'chain-2', 'chain_2', 'a', 'A', '1', '10', 'arbitrum-nova-testnet']

/** Whether a topic name with settings in it can become another name, with values that these settings may have. */
type ReachesName = (template: string, name: string) => boolean

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
