import { ScalarType } from '@bufbuild/protobuf'
import type { TopicRegistration } from '../registry/registration.ts'
import { messagesWithin, schemaFromDescriptors } from '../schema/schema-set.ts'
import { compareMessages } from './compare-messages.ts'
import { type Incompatibility, type IncompatibilityRule, newVersionRemedy } from './incompatibility.ts'

/** What readers of a topic depend on. */
export type TopicForm = Pick<
  TopicRegistration,
  'topic' | 'message' | 'descriptors' | 'key' | 'time' | 'bytes' | 'partitions'
>

/** Stricter than protobuf: JSON has the names of fields and enum values, and the newest schema renders old records. */
export function compareTopics(before: TopicForm, after: TopicForm): Incompatibility[] {
  const settings = compareTopicSettings(before, after)
  if (before.message !== after.message) return [messageChanged(before, after), ...settings]
  return [...compareSchemas(before, after), ...settings]
}

function compareSchemas(before: TopicForm, after: TopicForm): Incompatibility[] {
  if (Buffer.compare(before.descriptors, after.descriptors) === 0) return []
  const found: Incompatibility[] = []
  const old = schemaFromDescriptors(before.descriptors)
  const now = schemaFromDescriptors(after.descriptors)
  compareMessages(old, now, before.message, (rule, declaration, message) =>
    found.push({ rule, message: `${message} ${newVersionRemedy}`, at: { declaration } }),
  )
  return found
}

function messageChanged(before: TopicForm, after: TopicForm): Incompatibility {
  return {
    rule: 'message_changed',
    message:
      `Topic "${before.topic}" had the message ${before.message} and would have ${after.message}. Readers with generated ` +
      'code would confuse them, and stored records would be rendered wrongly. Restore the name and package of the message, ' +
      `or add a topic for the new message. ${newVersionRemedy}`,
    at: { setting: 'message' },
  }
}

function compareTopicSettings(before: TopicForm, after: TopicForm): Incompatibility[] {
  const changes = {
    key: before.key !== undefined && before.key !== after.key,
    time: before.time !== undefined && before.time !== after.time,
    bytes: before.bytes !== after.bytes && holdsBytes(before) && holdsBytes(after),
    partitions: before.partitions !== after.partitions,
  }
  return settings
    .filter((setting) => changes[setting])
    .map((setting) => ({
      rule: `${setting}_changed` satisfies IncompatibilityRule,
      message:
        `The "${setting}" of topic "${before.topic}" was ${show(before[setting])} and is ${show(after[setting])}. ` +
        `${consequences[setting]} Set it to ${show(before[setting])} again. ${newVersionRemedy}`,
      at: { setting },
    }))
}

const settings = ['key', 'time', 'bytes', 'partitions'] as const
type Setting = (typeof settings)[number]

const consequences: Readonly<Record<Setting, string>> = {
  key: 'Readers that look up records by key would not find stored and new records under the same key.',
  time: 'Readers of a time range would get stored and new records by different times.',
  bytes: 'Readers of JSON would get bytes in an unexpected form, also from stored records.',
  partitions: 'Records with the same key would be in two partitions, and readers would get them out of order.',
}

function show(value: string | number | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

function holdsBytes({ message, descriptors }: TopicForm): boolean {
  const type = schemaFromDescriptors(descriptors).message(message)
  const fields = type ? [...messagesWithin(type)].flatMap((one) => one.fields) : []
  return fields.some(({ scalar }) => scalar === ScalarType.BYTES)
}
