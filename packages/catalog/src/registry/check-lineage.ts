import { type Queue, type Remedy, type TopicDescription, UserError } from '@headrace/queue'
import { hasHadRecords } from '../position/find-record.ts'
import { compareVersions, parseVersion } from '../topic-name/version.ts'
import { isOlderLineage, isSameInstance, lineageVersion, type TopicRegistration } from './registration.ts'

/**
 * Checks whether a connector instance may start a lineage of topics.
 *
 * @throws {UserError} `registration_refused`: a newer version of the connector has a lineage; or topics of an older
 *   lineage, registered or not, have records, and `newTopics` is false.
 */
export async function checkLineage(
  queue: Queue,
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
  { newTopics }: { readonly newTopics: boolean },
): Promise<void> {
  const [first] = wanted
  if (!first) return
  const ofInstance = [...existing.values()].filter((other) => isSameInstance(other, first))
  if (ofInstance.some(({ lineage }) => lineage === first.lineage)) return
  const newer = ofInstance.find(({ connector }) => compareVersions(connector.version, first.connector.version) > 0)
  if (newer) throw olderVersion(newer, first)
  if (newTopics) return
  for (const { description, version } of await olderTopics(queue, existing, wanted))
    if (await hasHadRecords(queue, description)) throw olderData(description.name, version, first)
}

interface OlderTopic {
  readonly description: TopicDescription
  /** Its topicVersion. */
  readonly version: string
}

/** Those of the newest lineage first. */
async function olderTopics(
  queue: Queue,
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
): Promise<OlderTopic[]> {
  const names = new Set(wanted.map(({ topic, lineage }) => topic.slice(lineage.length)))
  const older = (await queue.describe()).flatMap((description): OlderTopic[] => {
    const registration = existing.get(description.name)
    const version = registration
      ? isOlderLineage(registration, wanted[0]!) && lineageVersion(registration)
      : unregisteredVersion(description.name, wanted[0]!, names)
    return version ? [{ description, version }] : []
  })
  return older.sort((left, right) => compareVersions(right.version, left.version))
}

/** Of an unregistered topic that has the name of a wanted topic and an older version. */
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

function refused(message: string, remedy?: Remedy): UserError {
  return new UserError('registration_refused', message, remedy && { remedy })
}
