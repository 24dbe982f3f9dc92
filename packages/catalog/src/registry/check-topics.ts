import { type Queue, UserError } from '@headrace/queue'
import { hasHadRecords } from '../position/find-record.ts'
import { type SchemaSet, schemaFromDescriptors } from '../schema/schema-set.ts'
import { checkLineage } from './check-lineage.ts'
import { checkRegistrations } from './check-registrations.ts'
import { readRegistry } from './read-registry.ts'
import { isSameInstance, type TopicRegistration } from './registration.ts'

export interface CheckTopicsOptions {
  /** Whether new topics may be started although an older lineage has records. */
  readonly newTopics: boolean
  readonly places?: SchemaSet['places'] | undefined
}

/**
 * Checks whether a connector instance may register and write topics. Writes nothing.
 *
 * @throws {UserError} `registration_refused`: as `checkRegistrations`; or a newer version of the connector has a
 *   lineage, a message would be published to another topic than before, this project defines none of the published
 *   messages, or an older lineage has records. `incompatible_schema`
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

/**
 * With other settings in topic names, a message would continue from the checkpoint of another source. Topics that never
 * had a record do not count.
 */
async function checkMoved(
  queue: Queue,
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
): Promise<void> {
  const moved = wanted
    .filter(({ topic }) => !existing.has(topic))
    .flatMap((to) => [...existing.values()].filter((from) => isSameStream(from, to)).map((from) => ({ from, to })))
  if (moved.length === 0) return
  const descriptions = await queue.describe(moved.map(({ from }) => from.topic))
  for (const { from, to } of moved) {
    const description = descriptions.find(({ name }) => name === from.topic)
    if (description && (await hasHadRecords(queue, description))) throw movedMessage(from, to)
  }
}

function isSameStream(one: TopicRegistration, other: TopicRegistration): boolean {
  return one.lineage === other.lineage && isSameInstance(one, other) && one.message === other.message
}

function movedMessage(from: TopicRegistration, to: TopicRegistration): UserError {
  return new UserError(
    'registration_refused',
    `The instance "${from.instance}" has published ${from.message} to "${from.topic}", and would now continue in ` +
      `"${to.topic}", without the earlier records. Restore the name of the topic, or the settings in it. If the settings ` +
      'name another source, start another instance.',
    { remedy: { kind: 'set_instance' } },
  )
}

/** A project without a matching id that defines none of the published messages is another project. */
async function checkUnrelated(
  queue: Queue,
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
): Promise<void> {
  const [first] = wanted
  if (!first) return
  const before = [...existing.values()].filter((one) => one.lineage === first.lineage && isSameInstance(one, first))
  if (before.length === 0 || before.some((one) => isRelated(one, first))) return
  const published = new Map(before.map((one) => [one.topic, one]))
  for (const description of await queue.describe([...published.keys()]))
    if (await hasHadRecords(queue, description)) throw unrelated(published.get(description.name)!)
}

function isRelated(before: TopicRegistration, wanted: TopicRegistration): boolean {
  if (before.projectId !== undefined && before.projectId === wanted.projectId) return true
  if (Buffer.compare(before.descriptors, wanted.descriptors) === 0) return true
  return schemaFromDescriptors(wanted.descriptors).message(before.message) !== undefined
}

function unrelated({ topic, lineage, instance, message }: TopicRegistration): UserError {
  return new UserError(
    'registration_refused',
    `The instance "${instance}" of "${lineage}" has published ${message} to "${topic}", and this project defines none of ` +
      'the messages that it has published. If they are different projects, change "package" or "owner" in manifest.yaml, ' +
      'because this one would continue from the checkpoint of the other. If this is the same project, start new topics ' +
      'with another "topicVersion".',
  )
}
