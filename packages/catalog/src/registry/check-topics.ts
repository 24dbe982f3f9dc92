import type { Queue, TopicDescription, UserError } from '@headrace/queue'
import { readAdoptions } from '../adoption/adoption.ts'
import { hasHadRecords } from '../position/find-record.ts'
import { type SchemaSet, schemaFromDescriptors } from '../schema/schema-set.ts'
import { compareVersions, parseVersion } from '../topic-name/version.ts'
import { checkRegistrations, refused } from './check-registrations.ts'
import {
  isOlderLineage,
  isSameInstance,
  lineageVersion,
  type Registrations,
  readRegistry,
  type TopicRegistration,
} from './registration.ts'

export interface CheckTopicsOptions {
  /** Whether new topics are allowed although an older lineage has records. */
  readonly newTopics: boolean
  readonly places?: SchemaSet['places'] | undefined
}

/**
 * Writes nothing.
 *
 * @throws {UserError} `incompatible_schema`. `registration_refused`: the owner and package belong to another project, a
 *   topic to another connector or instance, two names differ only in `.` and `_`, a newer version of the connector has
 *   registered topics, a message would be published to another topic than before, this project defines none of the
 *   published messages, or an older lineage has records.
 */
export async function checkTopics(
  queue: Queue,
  wanted: readonly TopicRegistration[],
  { newTopics, places }: CheckTopicsOptions,
): Promise<void> {
  const existing = await readRegistry(queue)
  checkRegistrations(existing, wanted, places)
  const adoptions = await readAdoptions(queue)
  const adopted = wanted.find(({ topic }) => adoptions.has(topic))
  if (adopted)
    throw refused(
      `Topic "${adopted.topic}" is adopted, which means that other programs write it. Give this topic another name in ` +
        `manifest.yaml, or run  connector adopt ${adopted.topic} --remove  first.`,
    )
  const [first] = wanted
  if (!first) return
  const ofInstance = [...existing.values()].filter((one) => isSameInstance(one, first))
  const ofLineage = ofInstance.filter(({ lineage }) => lineage === first.lineage)
  if (ofLineage.length > 0) {
    await checkUnrelated(queue, ofLineage, first)
    return checkMoved(queue, ofLineage, wanted)
  }
  const newer = ofInstance.find(({ connector }) => compareVersions(connector.version, first.connector.version) > 0)
  if (newer) throw olderVersion(newer, first)
  if (newTopics) return
  for (const [version, description] of await olderTopics(queue, existing, wanted))
    if (await hasHadRecords(queue, description)) throw olderData(description.name, version, first)
}

type Topics = readonly TopicRegistration[]

/** With other settings in topic names, a message would continue from the checkpoint of another source. */
async function checkMoved(queue: Queue, published: Topics, wanted: Topics): Promise<void> {
  const moved = wanted
    .filter(({ topic }) => !published.some((one) => one.topic === topic))
    .flatMap((to) => published.filter(({ message }) => message === to.message).map((from) => ({ from, to })))
  if (moved.length === 0) return
  const descriptions = await queue.describe(moved.map(({ from }) => from.topic))
  for (const { from, to } of moved) {
    const description = descriptions.find(({ name }) => name === from.topic)
    if (description && (await hasHadRecords(queue, description))) throw movedMessage(from, to)
  }
}

function movedMessage(from: TopicRegistration, to: TopicRegistration): UserError {
  return refused(
    `The instance "${from.instance}" has published ${from.message} to "${from.topic}", and would now continue in ` +
      `"${to.topic}", without the earlier records. Restore the name of the topic, or the settings in it. If the settings ` +
      'name another source, start another instance.',
    { kind: 'set_instance' },
  )
}

/** A project without a matching id that defines none of the published messages is another project. */
async function checkUnrelated(queue: Queue, published: Topics, wanted: TopicRegistration): Promise<void> {
  if (published.some((one) => isRelated(one, wanted))) return
  const byTopic = new Map(published.map((one) => [one.topic, one]))
  for (const description of await queue.describe([...byTopic.keys()]))
    if (await hasHadRecords(queue, description)) throw unrelated(byTopic.get(description.name)!)
}

function isRelated(before: TopicRegistration, wanted: TopicRegistration): boolean {
  if (before.projectId !== undefined && before.projectId === wanted.projectId) return true
  if (Buffer.compare(before.descriptors, wanted.descriptors) === 0) return true
  return schemaFromDescriptors(wanted.descriptors).message(before.message) !== undefined
}

function unrelated({ topic, lineage, instance, message }: TopicRegistration): UserError {
  return refused(
    `The instance "${instance}" of "${lineage}" has published ${message} to "${topic}", and this project defines none of ` +
      'the messages that it has published. If they are different projects, change "package" or "owner" in manifest.yaml, ' +
      'because this one would continue from the checkpoint of the other. If this is the same project, start new topics ' +
      'with another "topicVersion".',
  )
}

type OlderTopic = [topicVersion: string, TopicDescription]

/** Topics of older lineages, the newest lineage first. */
async function olderTopics(queue: Queue, existing: Registrations, wanted: Topics): Promise<OlderTopic[]> {
  const names = new Set(wanted.map(({ topic, lineage }) => topic.slice(lineage.length)))
  const older = (await queue.describe()).flatMap((description): OlderTopic[] => {
    const registration = existing.get(description.name)
    const version = registration
      ? isOlderLineage(registration, wanted[0]!) && lineageVersion(registration)
      : unregisteredVersion(description.name, wanted[0]!, names)
    return version ? [[version, description]] : []
  })
  return older.sort(([left], [right]) => compareVersions(right, left))
}

function unregisteredVersion(topic: string, wanted: TopicRegistration, names: ReadonlySet<string>): string | undefined {
  const { owner, package: name } = wanted.connector
  const prefix = `${owner}.${name}.`
  if (!topic.startsWith(prefix)) return undefined
  const end = topic.indexOf('.', prefix.length)
  const version = topic.slice(prefix.length, end).replaceAll('_', '.')
  if (end < 0 || !names.has(topic.slice(end)) || !parseVersion(version)) return undefined
  return compareVersions(version, lineageVersion(wanted)) < 0 ? version : undefined
}

function olderVersion(newer: TopicRegistration, { connector }: TopicRegistration): UserError {
  const { version } = newer.connector
  return refused(
    `Version ${version} of this connector has already started "${newer.topic}", and this is the older version ` +
      `${connector.version}, which has no topics yet. Run version ${version} or a newer one.`,
  )
}

function olderData(topic: string, topicVersion: string, { connector }: TopicRegistration): UserError {
  return refused(
    `The version is now ${connector.version}, and topics of version ${topicVersion} have records, such as "${topic}". ` +
      `To continue in those topics, add  topicVersion: ${topicVersion}  to manifest.yaml. ` +
      'To start new topics, run once with `newTopics`.',
    { kind: 'use_new_topics' },
  )
}
