import { didYouMean } from '../nearest-name.ts'
import { checkTopicName, formatTopicName } from '../topic-name/topic-name.ts'
import type { SettingsSchema } from './manifest.ts'
import type { ManifestHead } from './read-head.ts'
import type { PlacedTopic } from './read-topics.ts'
import { settingDefaults } from './setting-defaults.ts'
import { fillTemplate, isTemplate, settingsIn } from './topic-name-template.ts'
import { fieldOf, type YamlSource } from './yaml-source.ts'

/**
 * Reports topic names that are not allowed or not unique, with the defaults of the settings filled in, and settings in
 * them that could make them so.
 */
export function checkTopicNames(
  source: YamlSource,
  topics: readonly PlacedTopic[],
  { head, config }: { readonly head: ManifestHead; readonly config: SettingsSchema },
): void {
  const names = new Set<string>()
  for (const { topic, map } of topics) {
    const report = (message: string) => source.report(fieldOf(map, 'name') ?? map, 'invalid_topic_name', message)
    if (!isTemplate(topic.name)) {
      report(
        `Topic name "${topic.name}" is not allowed: it holds a "{" or "}" that belongs to no setting. A setting is written ` +
          '{name}, such as {chain}_Block.',
      )
      continue
    }
    const wrongSettings = settingsIn(topic.name).flatMap((setting) => wrongSetting(setting, config) ?? [])
    for (const wrong of wrongSettings) report(`Topic name "${topic.name}": ${wrong}`)
    if (wrongSettings.length > 0) continue
    const name = fillTemplate(topic.name, settingDefaults(config))
    const wrong = wrongName(name, head)
    if (wrong !== undefined)
      report(
        `Topic name "${name}" is not allowed: ${wrong}. Write it as <contract>_<EventName>, such as ethereum_Block.`,
      )
    if (names.has(name)) report(`Topic name "${name}" is used twice. Give each topic a "name" of its own.`)
    names.add(name)
  }
}

function wrongName(name: string, head: ManifestHead): string | undefined {
  if (name === '') return 'it is empty'
  if (name.includes('.'))
    return 'it holds ".", and the segments with owner, package and version come before it by themselves'
  return checkTopicName(formatTopicName({ ...head, name }))
}

function wrongSetting(name: string, { properties = {} }: SettingsSchema): string | undefined {
  const schema = Object.hasOwn(properties, name) ? properties[name]! : undefined
  if (!schema) {
    const fix =
      didYouMean(name, Object.keys(properties)) || ' Add it there, with "type: string", "pattern" and "default".'
    return `"config" has no setting "${name}".${fix}`
  }
  if (schema.writeOnly === true)
    return `the setting "${name}" is a secret, and topic names are public. Use another setting.`
  const lacks = [
    schema.type === 'string' ? undefined : '"type: string"',
    schema.pattern === undefined ? '"pattern"' : undefined,
    schema.default === undefined ? '"default"' : undefined,
  ].filter((one) => one !== undefined)
  if (lacks.length === 0) return undefined
  return `the setting "${name}" needs ${lacks.join(' and ')} in "config", as every setting in a topic name does.`
}
