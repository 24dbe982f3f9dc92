import type { DescMessage } from '@bufbuild/protobuf'
import { isScalar, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import { isKeyField, isTimeField } from '../record-field/record-field.ts'
import type { ManifestTopic, SettingsSchema } from './manifest.ts'
import type { ManifestHead } from './read-head.ts'
import { checkFieldNames, describe, fieldOf, textOf, type YamlSource } from './yaml-source.ts'

export interface TopicsContext {
  readonly messages: readonly DescMessage[]
  readonly head: ManifestHead
  readonly config: SettingsSchema
}

/** `undefined` without a valid message. */
export function readTopic(source: YamlSource, map: YAMLMap, context: TopicsContext): ManifestTopic | undefined {
  checkFieldNames(source, map, topicFields)
  const message = readMessage(source, map, context)
  const name = textOf(source, map, 'name')
  const bytes = textOf(source, map, 'bytes', bytesForm)
  const retention = textOf(source, map, 'retention', retentionForm)
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
    partitions,
  }
}

export function defaultTopic(message: DescMessage, { head }: TopicsContext): ManifestTopic {
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

function readMessage(source: YamlSource, map: YAMLMap, { messages }: TopicsContext): DescMessage | undefined {
  const node = fieldOf(map, 'message')
  if (!map.has('message'))
    source.report(
      map,
      'missing_field',
      `The field "message" of this topic is missing. Add the name of the message that it carries: ${namesOf(messages)}.`,
    )
  const name = textOf(source, map, 'message')
  if (name === undefined) return undefined
  const found = messages.filter((message) => message.typeName === name || message.name === name)
  const exact = found.find((message) => message.typeName === name)
  if (exact || found.length === 1) return exact ?? found[0]
  const hint = didYouMean(
    name,
    messages.flatMap((message) => [message.name, message.typeName]),
  )
  source.report(
    node,
    'unknown_message',
    found.length > 1
      ? `"${name}" is ambiguous: ${found.map(({ typeName }) => typeName).join(' or ')}. Write the full name.`
      : `The .proto files define no message "${name}".${hint || ` They define ${namesOf(messages)}.`}`,
  )
  return undefined
}

function namesOf(messages: readonly DescMessage[]): string {
  return messages.map(({ typeName }) => typeName).join(', ') || 'none'
}

function readField(source: YamlSource, map: YAMLMap, role: 'key' | 'time', message: DescMessage): string | undefined {
  const name = textOf(source, map, role)
  if (name === undefined) return undefined
  const node = fieldOf(map, role)
  const field = message.fields.find((one) => one.name === name)
  const fits = role === 'key' ? isKeyField : isTimeField
  if (field && fits(field)) return name
  const allowed =
    role === 'key' ? 'one string, bytes or integer' : 'one google.protobuf.Timestamp, or one int64 of seconds'
  const names = message.fields.filter(fits).map((one) => one.name)
  const choice = ` Possible fields: ${names.join(', ') || 'none'}.`
  source.report(
    node,
    'invalid_topic',
    field
      ? `Field "${name}" of ${message.name} cannot be the ${role}: it must be ${allowed}.${choice}`
      : `Message ${message.name} has no field "${name}" for the ${role}.${hintOf(name, message) || choice}`,
  )
  return undefined
}

function hintOf(name: string, { fields }: DescMessage): string {
  return didYouMean(
    name,
    fields.map((field) => field.name),
  )
}

function readWhen(source: YamlSource, map: YAMLMap, { config }: TopicsContext): string | undefined {
  const name = textOf(source, map, 'when')
  if (name === undefined) return undefined
  const { properties = {} } = config
  const setting = Object.hasOwn(properties, name) ? properties[name]! : undefined
  if (setting?.type === 'boolean') return name
  const switches = Object.keys(properties).filter((each) => properties[each]!.type === 'boolean')
  const choice = didYouMean(name, switches) || ` Possible settings: ${switches.join(', ') || 'none'}.`
  source.report(
    fieldOf(map, 'when'),
    'invalid_topic',
    setting
      ? `The setting "${name}" cannot be used for "when": it must have "type: boolean".${choice}`
      : `"config" has no setting "${name}" to use for "when".${choice}`,
  )
  return undefined
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
  'when',
]

const bytesForm = { test: (text: string) => text === 'hex' || text === 'base64', description: 'hex or base64' }
const retentionForm = {
  test: (text: string) => /^(forever|[1-9]\d{0,8}(s|m|h|d|B|KiB|MiB|GiB|TiB))$/.test(text),
  description: '"forever", a time such as 30d (s, m, h, d) or a size such as 10GiB (B, KiB, MiB, GiB, TiB)',
}
