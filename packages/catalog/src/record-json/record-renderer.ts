import { registeredMessage } from '../registry/registered-message.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import { JsonWriter } from './json-writer.ts'
import { keyFormOf } from './key-form.ts'
import { createMessageWriter } from './message-writer.ts'
import { createEnvelope, type RecordRenderer } from './record-envelope.ts'

export interface RecordRendererOptions {
  /** Members of `value`, from `parseFields`. Other fields are skipped, and not checked. Default: all. */
  readonly fields?: readonly string[]
  /**
   * The id of the topic, which must have one partition: whole records get the cursor after them. Default: an empty
   * cursor.
   */
  readonly cursorsOf?: string
}

/** @throws {UserError} `invalid_schema`: the descriptors do not contain the registered message. */
export function createRecordRenderer(
  registration: TopicRegistration,
  { fields, cursorsOf }: RecordRendererOptions = {},
): RecordRenderer {
  const { topic, descriptors, bytes, key } = registration
  const out = new JsonWriter()
  const message = registeredMessage(registration)
  const { write, read } = createMessageWriter(out, {
    schema: schemaFromDescriptors(descriptors),
    message,
    bytes,
    fields,
  })
  return createEnvelope({
    ...{ out, topic, bytes, cursorsOf, keyForm: keyFormOf(message.fields.find(({ name }) => name === key)) },
    writeValue: (_, value) => write(value, 0),
    readValue: (_, value) => read(value, 0),
  })
}
