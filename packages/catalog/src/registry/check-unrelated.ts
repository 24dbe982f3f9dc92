import { type Queue, UserError } from '@headrace/queue'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import { hasHeldRecords } from './held-records.ts'
import { isSameInstance } from './lineage-order.ts'
import type { TopicRegistration } from './registration.ts'

/**
 * Checks, where ids do not say it, whether a connector instance has anything in common with the one that has published
 * under its names. One that defines none of the messages that are published is another project.
 *
 * @throws {UserError} `registration_refused`
 */
export async function checkUnrelated(
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
    if (await hasHeldRecords(queue, description)) throw unrelated(published.get(description.name)!)
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
      'the messages that it has published. If it is another project, change "package" or "owner" in manifest.yaml: it ' +
      'would continue from the checkpoint of that one. If it is the same one, begin new topics with another "topicVersion".',
  )
}
