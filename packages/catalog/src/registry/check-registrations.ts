import { UserError } from '@headrace/queue'
import { checkCompatibility } from '../compatibility/check-compatibility.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareVersions } from '../topic-name/version.ts'
import type { TopicRegistration } from './registration.ts'

export interface CheckRegistrationsOptions {
  /** New topics beside those of an older lineage are wanted: the manifest names a topicVersion, or `--new-topics`. */
  readonly newTopics?: boolean
  /** Where the schemas that are wanted are declared, for messages: `SchemaSet.places`. */
  readonly places?: SchemaSet['places'] | undefined
}

/**
 * Checks whether topics may be registered beside those that exist. Writes nothing.
 *
 * @throws {UserError} `registration_refused`: a topic belongs to another connector or instance; a newer version of the
 *   connector has registered; two names differ in `.` and `_` only; or the version changed, an older lineage has topics
 *   and nobody said whether to go on there or to begin anew. `incompatible_schema`: a topic would change in a way that
 *   breaks its readers.
 */
export function checkRegistrations(
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
  options: CheckRegistrationsOptions = {},
): void {
  for (const registration of wanted) {
    const before = existing.get(registration.topic)
    checkOwner(before, registration)
    for (const other of existing.values()) {
      checkVersion(other, registration)
      if (!options.newTopics && !existing.has(registration.topic)) checkLineage(other, registration)
    }
    for (const other of [...existing.values(), ...wanted]) checkNames(other.topic, registration.topic)
    if (before) checkCompatibility(before, registration, options.places)
  }
}

function checkOwner(existing: TopicRegistration | undefined, wanted: TopicRegistration): void {
  if (!existing) return
  if (existing.lineage !== wanted.lineage)
    throw refused(
      `Topic "${wanted.topic}" belongs to the connector "${existing.lineage}", not to "${wanted.lineage}". ` +
        'Give this topic another name in manifest.yaml.',
    )
  if (existing.instance !== wanted.instance)
    throw refused(
      `Topic "${wanted.topic}" belongs to the instance "${existing.instance}" of this connector, and this is the ` +
        `instance "${wanted.instance}". Start it with --instance ${existing.instance}, or make the topic names differ ` +
        'by a setting in them.',
    )
}

function checkVersion(other: TopicRegistration, wanted: TopicRegistration): void {
  if (other.lineage !== wanted.lineage || other.instance !== wanted.instance) return
  if (compareVersions(wanted.connector.version, other.connector.version) >= 0) return
  throw refused(
    `Version ${other.connector.version} of this connector has already published to "${other.topic}", and this is ` +
      `the older version ${wanted.connector.version}. Run ${other.connector.version} or a newer one.`,
  )
}

function checkLineage(other: TopicRegistration, wanted: TopicRegistration): void {
  if (!isOlderLineage(other, wanted)) return
  const { version } = wanted.connector
  const topicVersion = lineageVersion(other)
  throw refused(
    `The version is now ${version} and the topics of ${topicVersion} exist, such as "${other.topic}". ` +
      `To go on in those topics, add  topicVersion: ${topicVersion}  to manifest.yaml. ` +
      'To begin anew in new topics, run once with --new-topics.',
  )
}

function checkNames(other: string, wanted: string): void {
  if (other === wanted || other.replaceAll('.', '_') !== wanted.replaceAll('.', '_')) return
  throw refused(
    `Topics "${wanted}" and "${other}" differ in "." and "_" only, which Kafka does not allow. Rename one of them.`,
  )
}

/** Whether a topic of an older lineage carries what the wanted one will carry, for the same instance. */
export function isOlderLineage(other: TopicRegistration, wanted: TopicRegistration): boolean {
  return (
    other.connector.owner === wanted.connector.owner &&
    other.connector.package === wanted.connector.package &&
    other.instance === wanted.instance &&
    compareVersions(lineageVersion(other), lineageVersion(wanted)) < 0
  )
}

function lineageVersion(registration: TopicRegistration): string {
  return registration.lineage.slice(registration.lineage.lastIndexOf('.') + 1).replaceAll('_', '.')
}

function refused(message: string): UserError {
  return new UserError('registration_refused', message)
}
