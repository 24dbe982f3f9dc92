import type { TopicRegistration } from '../registry/registration.ts'
import { type SchemaSet, schemaFromDescriptors } from '../schema/schema-set.ts'
import { compareMessages } from './compare-messages.ts'
import { compareTopicSettings } from './compare-topic-settings.ts'
import { beginAnew, type Incompatibility } from './incompatibility.ts'

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
