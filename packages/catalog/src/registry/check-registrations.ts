import { type Remedy, UserError } from '@headrace/queue'
import { checkCompatibility } from '../compatibility/check-compatibility.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareVersions } from '../topic-name/version.ts'
import { checkProject, type ProjectIdentity } from './check-project.ts'
import type { TopicRegistration } from './registration.ts'

/**
 * Checks whether topics may be registered beside those that are.
 *
 * @param places - Where the schemas that are wanted are declared, for messages.
 * @throws {UserError} `registration_refused`: the owner and package belong to another project, a topic to another
 *   connector or instance, a newer version of the connector has registered it, or two names differ in `.` and `_` only.
 *   `incompatible_schema`: a topic would change in a way that breaks its readers.
 */
export function checkRegistrations(
  existing: ReadonlyMap<string, TopicRegistration>,
  wanted: readonly TopicRegistration[],
  places?: SchemaSet['places'],
): void {
  const [first] = wanted
  if (first) checkProject(existing, projectOf(first))
  for (const registration of wanted) {
    const before = existing.get(registration.topic)
    checkOwner(before, registration)
    for (const other of existing.values()) checkVersion(other, registration)
    for (const other of [...existing.values(), ...wanted]) checkNames(other.topic, registration.topic)
    if (before) checkCompatibility(before, registration, places)
  }
}

/** All that are wanted are of one project. */
function projectOf({ connector, projectId }: TopicRegistration): ProjectIdentity {
  return { ...connector, ...(projectId !== undefined && { id: projectId }) }
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
        `instance "${wanted.instance}". Start it as "${existing.instance}", or make the topic names differ by a ` +
        'setting in them.',
      { kind: 'set_instance', value: existing.instance },
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

function checkNames(other: string, wanted: string): void {
  if (other === wanted || other.replaceAll('.', '_') !== wanted.replaceAll('.', '_')) return
  throw refused(
    `Topics "${wanted}" and "${other}" differ in "." and "_" only, which Kafka does not allow. Rename one of them.`,
  )
}

function refused(message: string, remedy?: Remedy): UserError {
  return new UserError('registration_refused', message, remedy && { remedy })
}
