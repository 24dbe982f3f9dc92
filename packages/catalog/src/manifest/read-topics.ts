import type { DescMessage } from '@bufbuild/protobuf'
import { type Compression, compressions } from '@headrace/queue'
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import { isKeyField, isTimeField } from '../record-field/record-field.ts'
import { checkTopicName, formatTopicName } from '../topic-name/topic-name.ts'
import { type ManifestTopic, type SettingSchema, type SettingsSchema, settingDefaults } from './manifest.ts'
import type { ManifestHead } from './read-head.ts'
import { fillTemplate, isTemplate, settingsIn } from './topic-name-template.ts'
import { checkFieldNames, describe, fieldOf, textOf, type YamlSource } from './yaml-source.ts'

interface TopicsContext {
  readonly messages: readonly DescMessage[]
  readonly head: ManifestHead
  readonly config: SettingsSchema
}

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
  const report = (at: Node, message: string) => source.report(at, 'invalid_topic', message)
  const items = isSeq(node) ? (node.items as Node[]) : []
  if (items.length === 0) {
    const found = isSeq(node) ? 'an empty list' : describe(node)
    report(node, `"topics" is ${found}; it must be a list with at least one topic.`)
  }
  const topics: PlacedTopic[] = []
  for (const item of items) {
    if (!isMap(item)) {
      report(item, `A topic is ${describe(item)}; it must be a map such as  { message: Block, key: Hash }`)
      continue
    }
    const topic = readTopic(source, item, context)
    if (!topic) continue
    if (topics.some((other) => other.topic.message === topic.message))
      report(
        item,
        `Message ${topic.message} already has a topic, and can have only one. For a second topic define a second message.`,
      )
    else topics.push({ topic, map: item })
  }
  return topics
}

/** `undefined` without a valid message. */
function readTopic(source: YamlSource, map: YAMLMap, context: TopicsContext): ManifestTopic | undefined {
  checkFieldNames(source, map, topicFields)
  const message = readMessage(source, map, context)
  const name = textOf(source, map, 'name')
  const bytes = textOf(source, map, 'bytes', bytesForm)
  const retention = textOf(source, map, 'retention', retentionForm)
  const compression = textOf(source, map, 'compression', compressionForm)
  const partitions = readPartitions(source, map)
  const when = readWhen(source, map, context)
  if (!message) return undefined
  const key = readField(source, map, 'key', message)
  const time = readField(source, map, 'time', message)
  if (partitions > 1 && !fieldOf(map, 'key'))
    source.report(
      fieldOf(map, 'partitions'),
      'invalid_topic',
      `${partitions} partitions need a "key", which decides the partition of a record. Add one, or remove "partitions".`,
    )
  return {
    ...defaultTopic(message, context),
    ...(name !== undefined && { name }),
    ...(key !== undefined && { key }),
    ...(time !== undefined && { time }),
    ...(bytes !== undefined && { bytes: bytes as ManifestTopic['bytes'] }),
    ...(retention !== undefined && { retention }),
    ...(when !== undefined && { when }),
    ...(compression !== undefined && { compression: compression as Compression }),
    partitions,
  }
}

function readMessage(source: YamlSource, map: YAMLMap, { messages }: TopicsContext): DescMessage | undefined {
  const known = messages.map(({ typeName }) => typeName)
  const listed = known.join(', ') || 'none'
  if (!map.has('message'))
    source.report(
      map,
      'missing_field',
      `The field "message" of this topic is missing. Add the name of the message that it carries: ${listed}.`,
    )
  const name = textOf(source, map, 'message')
  if (name === undefined) return undefined
  const found = messages.filter((message) => message.typeName === name || message.name === name)
  const exact = found.find((message) => message.typeName === name)
  if (exact || found.length === 1) return exact ?? found[0]
  const names = messages.flatMap((message) => [message.name, message.typeName])
  return source.report(
    fieldOf(map, 'message'),
    'unknown_message',
    found.length > 1
      ? `"${name}" is ambiguous: ${found.map(({ typeName }) => typeName).join(' or ')}. Write the full name.`
      : `The .proto files define no message "${name}".${didYouMean(name, names) || ` They define ${listed}.`}`,
  )
}

function readField(source: YamlSource, map: YAMLMap, role: 'key' | 'time', message: DescMessage): string | undefined {
  const name = textOf(source, map, role)
  if (name === undefined) return undefined
  const field = message.fields.find((one) => one.name === name)
  const { fits, allowed } = roles[role]
  if (field && fits(field)) return name
  const names = message.fields.map((one) => one.name)
  const fitting = message.fields.filter(fits).map((one) => one.name)
  const choice = ` Possible fields: ${fitting.join(', ') || 'none'}.`
  return source.report(
    fieldOf(map, role),
    'invalid_topic',
    field
      ? `Field "${name}" of ${message.name} cannot be the ${role}: it must be ${allowed}.${choice}`
      : `Message ${message.name} has no field "${name}" for the ${role}.${didYouMean(name, names) || choice}`,
  )
}

const roles = {
  key: { fits: isKeyField, allowed: 'one string, bytes or integer' },
  time: { fits: isTimeField, allowed: 'one google.protobuf.Timestamp, or one int64 of seconds' },
}

function readWhen(source: YamlSource, map: YAMLMap, { config }: TopicsContext): string | undefined {
  const name = textOf(source, map, 'when')
  if (name === undefined) return undefined
  const setting = settingOf(config, name)
  if (setting?.type === 'boolean') return name
  const { properties = {} } = config
  const switches = Object.keys(properties).filter((each) => properties[each]!.type === 'boolean')
  const choice = didYouMean(name, switches) || ` Possible settings: ${switches.join(', ') || 'none'}.`
  return source.report(
    fieldOf(map, 'when'),
    'invalid_topic',
    setting
      ? `The setting "${name}" cannot be used for "when": it must have "type: boolean".${choice}`
      : `"config" has no setting "${name}" to use for "when".${choice}`,
  )
}

function settingOf({ properties = {} }: SettingsSchema, name: string): SettingSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function readPartitions(source: YamlSource, map: YAMLMap): number {
  const node = fieldOf(map, 'partitions')
  if (!node) return 1
  const value = isScalar(node) ? node.value : undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 64) return value
  source.report(node, 'invalid_topic', `"partitions" is ${describe(node)}; it must be a whole number from 1 to 64.`)
  return 1
}

export const topicFields: readonly string[] = [
  'message',
  'name',
  'key',
  'time',
  'bytes',
  'partitions',
  'retention',
  'compression',
  'when',
]

const bytesForm = { test: (text: string) => text === 'hex' || text === 'base64', description: 'hex or base64' }
const compressionForm = {
  test: (text: string) => compressions.some((one) => one === text),
  description: compressions.join(', ').replace(/, (?=\w+$)/, ' or '),
}
const retentionForm = {
  test: (text: string) => /^(forever|[1-9]\d{0,8}(s|m|h|d|B|KiB|MiB|GiB|TiB))$/.test(text),
  description: '"forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB)',
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

function defaultTopic(message: DescMessage, { head }: TopicsContext): ManifestTopic {
  const ts = message.fields.find((field) => field.name === 'ts' && isTimeField(field))
  return {
    message: message.typeName,
    name: `${head.package}_${message.name}`,
    ...(ts && { time: ts.name }),
    bytes: 'base64',
    partitions: 1,
    retention: 'forever',
  }
}

function checkTopicNames(source: YamlSource, topics: readonly PlacedTopic[], { head, config }: TopicsContext): void {
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

function wrongSetting(name: string, config: SettingsSchema): string | undefined {
  const setting = settingOf(config, name)
  if (!setting) {
    const names = Object.keys(config.properties ?? {})
    const fix = didYouMean(name, names) || ' Add it there, with "type: string", "pattern" and "default".'
    return `"config" has no setting "${name}".${fix}`
  }
  if (setting.writeOnly === true)
    return `the setting "${name}" is a secret, but topic names are public. Use another setting.`
  const missing = [
    ...(setting.type === 'string' ? [] : ['"type: string"']),
    ...(setting.pattern === undefined ? ['"pattern"'] : []),
    ...(setting.default === undefined ? ['"default"'] : []),
  ]
  if (missing.length === 0) return undefined
  return `the setting "${name}" needs ${missing.join(' and ')} in "config", because it is in a topic name.`
}
