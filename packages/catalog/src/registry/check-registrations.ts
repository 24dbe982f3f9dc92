import { type Remedy, UserError } from '@headrace/queue'
import { compareTopics, type TopicForm } from '../compatibility/compare-topics.ts'
import type { Incompatibility } from '../compatibility/incompatibility.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { FilePlace } from '../source-places.ts'
import { compareVersions } from '../topic-name/version.ts'
import { checkProject, type ProjectIdentity } from './check-project.ts'
import type { TopicRegistration } from './registration.ts'

/**
 * Checks whether topics may be registered in addition to the existing ones.
 *
 * @param places - Where the wanted schemas are declared, for messages.
 * @throws {UserError} `registration_refused`: the owner and package belong to another project, a topic to another
 *   connector or instance, a newer version of the connector has registered it, or two names differ only in `.` and `_`.
 *   `incompatible_schema`
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
        `instance "${wanted.instance}". Start it as "${existing.instance}", or use a setting in the topic names, so that ` +
        'instances have different topics.',
      { kind: 'set_instance', value: existing.instance },
    )
}

function checkVersion(other: TopicRegistration, wanted: TopicRegistration): void {
  if (other.lineage !== wanted.lineage || other.instance !== wanted.instance) return
  if (compareVersions(wanted.connector.version, other.connector.version) >= 0) return
  throw refused(
    `Version ${other.connector.version} of this connector has already published to "${other.topic}", and this is ` +
      `the older version ${wanted.connector.version}. Run version ${other.connector.version} or a newer one.`,
  )
}

function checkNames(other: string, wanted: string): void {
  if (other === wanted || other.replaceAll('.', '_') !== wanted.replaceAll('.', '_')) return
  throw refused(
    `Topics "${wanted}" and "${other}" differ only in "." and "_", which Kafka does not allow. Rename one of them.`,
  )
}

function refused(message: string, remedy?: Remedy): UserError {
  return new UserError('registration_refused', message, remedy && { remedy })
}

function checkCompatibility(before: TopicForm, after: TopicForm, places?: ReadonlyMap<string, FilePlace>): void {
  const changes = compareTopics(before, after)
  if (changes.length === 0) return
  throw new UserError(
    'incompatible_schema',
    `Topic "${before.topic}" has records and readers, and would change in a way that breaks them:\n` +
      changes.map((change) => `  - ${placeOf(change, places)}${change.message}`).join('\n'),
  )
}

function placeOf({ at }: Incompatibility, places: ReadonlyMap<string, FilePlace> | undefined): string {
  const place = 'declaration' in at ? places?.get(at.declaration) : undefined
  return place ? `${place.file}:${place.line}:${place.column}: ` : ''
}
