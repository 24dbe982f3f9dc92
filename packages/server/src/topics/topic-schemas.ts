import { createValueSchema, formatProto, type JsonSchema, schemaFromDescriptors } from '@headrace/catalog'
import type { ServedTopic } from './served-topic.ts'

/** The schema of a topic's message, in the forms that readers use. */
export interface TopicSchema {
  /** As a .proto file, with those that it imports. */
  readonly proto: string
  /** As a serialized `google.protobuf.FileDescriptorSet`, in base64. */
  readonly descriptors: string
  /** Of the `value` of its records. */
  readonly jsonSchema: JsonSchema
}

/** Gives the schemas of topics, each made once. */
export function createTopicSchemas(): (topic: ServedTopic) => TopicSchema {
  const known = new WeakMap<ServedTopic, TopicSchema>()
  return (topic) => {
    const schema = known.get(topic) ?? makeSchema(topic)
    known.set(topic, schema)
    return schema
  }
}

function makeSchema({ registration }: ServedTopic): TopicSchema {
  const { descriptors, bytes } = registration
  // A topic whose schema does not hold its message is not served.
  const message = schemaFromDescriptors(descriptors).message(registration.message)!
  return {
    proto: formatProto(message),
    descriptors: Buffer.from(descriptors).toString('base64'),
    jsonSchema: createValueSchema(message, bytes),
  }
}
