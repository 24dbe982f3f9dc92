import { type DescMessage, ScalarType } from '@bufbuild/protobuf'
import type { TopicRegistration } from '../registry/registration.ts'
import { type SchemaSet, schemaFromDescriptors } from '../schema/schema-set.ts'
import { compareMessages } from './compare-messages.ts'
import { beginAnew, type Incompatibility, type IncompatibilityRule } from './incompatibility.ts'

/** What readers of a topic see: its schema, and how its records are made of messages. */
export type TopicForm = Pick<
  TopicRegistration,
  'topic' | 'message' | 'descriptors' | 'key' | 'time' | 'bytes' | 'partitions'
>

/**
 * Lists what would break readers of a topic if it went on in another form. Nothing for changes that no reader notices: new
 * fields and enum values, reserved numbers and names, comments, the order of declarations.
 *
 * The rules are stricter than those of protobuf's binary form: readers of record JSON know fields and enum values by
 * name, and stored records are rendered by the newest schema.
 *
 * @throws {UserError} `invalid_schema`
 */
export function compareTopics(before: TopicForm, after: TopicForm): Incompatibility[] {
  const settings = compareTopicSettings(before, after)
  if (before.message !== after.message) return [messageChanged(before, after), ...settings]
  return [...compareSchemas(before, after), ...settings]
}

function compareSchemas(before: TopicForm, after: TopicForm): Incompatibility[] {
  if (Buffer.compare(before.descriptors, after.descriptors) === 0) return []
  const found: Incompatibility[] = []
  const schemas: [SchemaSet, SchemaSet] = [
    schemaFromDescriptors(before.descriptors),
    schemaFromDescriptors(after.descriptors),
  ]
  compareMessages(...schemas, before.message, (rule, declaration, message) =>
    found.push({ rule, message: `${message} ${beginAnew}`, at: { declaration } }),
  )
  return found
}

function messageChanged(before: TopicForm, after: TopicForm): Incompatibility {
  return {
    rule: 'message_changed',
    message:
      `Topic "${before.topic}" carried the message ${before.message} and would carry ${after.message}. Readers with ` +
      'generated code would take the one for the other, and stored records would be rendered as what they are not. ' +
      `Give the message its name and package back, or the new message a topic of its own. ${beginAnew}`,
    at: { setting: 'message' },
  }
}

type Setting = 'key' | 'time' | 'bytes' | 'partitions'

/**
 * Compares how the records of a topic are made. A key or time where there was none breaks nobody: what is stored keeps
 * its absent key and the time that it has.
 */
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
        `The "${setting}" of topic "${before.topic}" was ${word(before[setting])} and is ${word(after[setting])}. ` +
        `${consequences[setting]} Set it to ${word(before[setting])} again. ${beginAnew}`,
      at: { setting },
    }))
}

const settings: readonly Setting[] = ['key', 'time', 'bytes', 'partitions']

const consequences: Readonly<Record<Setting, string>> = {
  key: 'Readers that look records up by key would not find the stored and the new ones under the same key.',
  time: 'Readers that ask for a range of time would get stored and new records by different times.',
  bytes: 'Readers of JSON would get all bytes, stored ones too, in a form that they do not expect.',
  partitions:
    'Records of one key would lie in two partitions, and readers would no longer get them in the order they were written.',
}

function word(value: string | number | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

/** Whether the setting `bytes` says anything about the message: whether there are bytes somewhere in it. */
function holdsBytes({ message, descriptors }: TopicForm): boolean {
  const seen = new Set<DescMessage>()
  const holds = (type: DescMessage | undefined): boolean => {
    if (!type || seen.has(type)) return false
    seen.add(type)
    return type.fields.some((field) => field.scalar === ScalarType.BYTES || holds(field.message))
  }
  return holds(schemaFromDescriptors(descriptors).message(message))
}
