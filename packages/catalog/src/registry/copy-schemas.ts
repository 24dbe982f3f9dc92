import type { Queue } from '@headrace/queue'
import type { SchemaRegistryClient, SubjectVersion } from '../schema-registry/registry-client.ts'
import { type FileSchema, valueSubject } from '../schema-registry/schema-identity.ts'
import { readEarlierSchemas, readRegistry, type TopicRegistration } from './registration.ts'
import { schemaVersions, topicSchema } from './topic-schema.ts'

export interface CopiedSchema {
  readonly topic: string
  readonly subject: string
  /** In the registry that it was copied to, as `id` and `guid`. */
  readonly version: number
  readonly id: number
  readonly guid?: string
  /** The GUID that records name, which differs if the registry changes schemas. */
  readonly recordGuid: string
  /** Whether the registry did not have it before. */
  readonly registered: boolean
}

/**
 * Copies all schemas of topics to a registry, each after those that it imports, oldest first. A schema that the registry
 * has is not registered again.
 *
 * @throws As the functions of `SchemaRegistryClient`.
 */
export async function* copySchemas(
  queue: Queue,
  topics: readonly string[],
  client: SchemaRegistryClient,
): AsyncGenerator<CopiedSchema> {
  const registrations = await readRegistry(queue)
  const earlier = await readEarlierSchemas(queue)
  for (const topic of topics) {
    const registration = registrations.get(topic)
    for (const schema of registration ? schemasOf(registration) : []) {
      const subject = valueSubject(topic)
      yield { topic, subject, ...(await copy(schema, subject)), recordGuid: schema.guid }
    }
  }

  function schemasOf(registration: TopicRegistration): FileSchema[] {
    const current = topicSchema(registration)
    return schemaVersions(registration).flatMap((guid) => {
      const before = earlier.get(guid)
      return guid === current.guid ? [current] : before ? [topicSchema(before)] : []
    })
  }

  async function copy(schema: FileSchema, subject: string): Promise<SubjectVersion & { readonly registered: boolean }> {
    const references = []
    for (const [index, reference] of schema.references.entries()) {
      const { version } = await copy(schema.imports[index]!, reference.subject)
      references.push({ ...reference, version })
    }
    const definition = { type: schema.type, text: schema.text, references }
    const found = await client.find(subject, definition)
    if (found) return { ...found, registered: false }
    return { ...(await client.register(subject, definition)), registered: true }
  }
}
