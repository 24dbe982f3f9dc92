import { isMap, isSeq, type Node, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import { checkTopicName, formatTopicName } from '../topic-name/topic-name.ts'
import { type ManifestTopic, type SettingsSchema, settingDefaults } from './manifest.ts'
import type { ManifestHead } from './read-head.ts'
import { defaultTopic, readTopic, type TopicsContext } from './read-topic.ts'
import { fillTemplate, isTemplate, settingsIn } from './topic-name-template.ts'
import { describe, fieldOf, type YamlSource } from './yaml-source.ts'

interface PlacedTopic {
  readonly topic: ManifestTopic
  readonly map: YAMLMap
}

/** By default every top-level message that is not a field of another message has a topic. */
export function readTopics(source: YamlSource, map: YAMLMap, context: TopicsContext): readonly PlacedTopic[] {
  const node = fieldOf(map, 'topics')
  const topics = node ? readListed(source, node, context) : defaultTopics(source, map, context)
  checkTopicNames(source, topics, context)
  return topics
}

function readListed(source: YamlSource, node: Node, context: TopicsContext): PlacedTopic[] {
  if (!isSeq(node) || node.items.length === 0) {
    source.report(
      node,
      'invalid_topic',
      `"topics" is ${isSeq(node) ? 'an empty list' : describe(node)}; it must be a list with at least one topic.`,
    )
    return []
  }
  const topics: PlacedTopic[] = []
  for (const item of node.items as Node[]) {
    if (!isMap(item)) {
      source.report(
        item,
        'invalid_topic',
        `A topic is ${describe(item)}; it must be a map such as  { message: Block, key: Hash }`,
      )
      continue
    }
    const topic = readTopic(source, item, context)
    const duplicate = topic && topics.find((other) => other.topic.message === topic.message)
    if (duplicate)
      source.report(
        item,
        'invalid_topic',
        `Message ${topic.message} already has a topic, and can have only one. For a second topic define a second message.`,
      )
    else if (topic) topics.push({ topic, map: item })
  }
  return topics
}

function defaultTopics(source: YamlSource, map: YAMLMap, context: TopicsContext): PlacedTopic[] {
  const used = new Set(
    context.messages.flatMap((message) =>
      message.fields.flatMap((field) => (field.message && field.message !== message ? [field.message.typeName] : [])),
    ),
  )
  const messages = context.messages.filter((message) => !message.parent && !used.has(message.typeName))
  if (messages.length === 0)
    source.report(
      map,
      'invalid_topic',
      'The .proto files define no message that has a topic by default. Add a top-level message that is no field of another, or list "topics".',
    )
  return messages.map((message) => ({ topic: defaultTopic(message, context), map }))
}

function checkTopicNames(
  source: YamlSource,
  topics: readonly PlacedTopic[],
  { head, config }: { readonly head: ManifestHead; readonly config: SettingsSchema },
): void {
  const names = new Set<string>()
  for (const { topic, map } of topics) {
    const report = (message: string) => source.report(fieldOf(map, 'name') ?? map, 'invalid_topic_name', message)
    if (!isTemplate(topic.name)) {
      report(
        `Topic name "${topic.name}" is not allowed: it contains a "{" or "}" that does not enclose a setting. Write a setting as ` +
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
    if (names.has(name)) report(`Topic name "${name}" is used twice. Give each topic a unique "name".`)
    names.add(name)
  }
}

function wrongName(name: string, head: ManifestHead): string | undefined {
  if (name === '') return 'it is empty'
  if (name.includes('.')) return 'it contains ".". The segments with owner, package and version are added automatically'
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
    return `the setting "${name}" is a secret, but topic names are public. Use another setting.`
  const missing = [
    schema.type === 'string' ? undefined : '"type: string"',
    schema.pattern === undefined ? '"pattern"' : undefined,
    schema.default === undefined ? '"default"' : undefined,
  ].filter((one) => one !== undefined)
  if (missing.length === 0) return undefined
  return `the setting "${name}" needs ${missing.join(' and ')} in "config", because it is in a topic name.`
}
