import { type FileSchema, fileSchema } from '../schema-registry/schema-identity.ts'
import type { EarlierSchema } from './earlier-schema.ts'
import { registeredMessage } from './registered-message.ts'
import type { TopicRegistration } from './registration.ts'

/**
 * The schema of the file that declares the message of a topic.
 *
 * @throws {UserError} `invalid_schema`
 */
export function topicSchema(registration: EarlierSchema): FileSchema {
  return fileSchema(registeredMessage(registration).file)
}

/**
 * GUIDs of all schemas that a topic has had, each once, in the order of their versions.
 *
 * @throws {UserError} `invalid_schema`
 */
export function schemaVersions(registration: TopicRegistration): readonly string[] {
  return registration.schemas ?? [topicSchema(registration).guid]
}
