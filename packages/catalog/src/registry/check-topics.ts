import type { Queue } from '@headrace/queue'
import type { SchemaSet } from '../schema/schema-set.ts'
import { checkLineage } from './check-lineage.ts'
import { checkMoved } from './check-moved.ts'
import { checkRegistrations } from './check-registrations.ts'
import { checkUnrelated } from './check-unrelated.ts'
import { readRegistry } from './read-registry.ts'
import type { TopicRegistration } from './registration.ts'

export interface CheckTopicsOptions {
  /** New topics beside those of an older lineage are wanted: the manifest names a topicVersion, or `--new-topics`. */
  readonly newTopics: boolean
  /** Where the schemas that are wanted are declared, for messages: `SchemaSet.places`. */
  readonly places?: SchemaSet['places'] | undefined
}

/**
 * Checks whether a connector instance may have its topics in a queue, as they are to be registered. Writes nothing.
 *
 * @throws {UserError} `registration_refused`: the topics belong to another project, connector or instance, a newer version
 *   of the connector is there, two names differ in `.` and `_` only, a message would go on in another topic, or an older lineage
 *   holds data. `incompatible_schema`: a topic would change in a way that breaks its readers.
 */
export async function checkTopics(
  queue: Queue,
  wanted: readonly TopicRegistration[],
  { newTopics, places }: CheckTopicsOptions,
): Promise<void> {
  const existing = await readRegistry(queue)
  checkRegistrations(existing, wanted, places)
  await checkUnrelated(queue, existing, wanted)
  await checkMoved(queue, existing, wanted)
  await checkLineage(queue, existing, wanted, { newTopics })
}
