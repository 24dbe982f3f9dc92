import { type Remedy, UserError } from '@headrace/queue'
import { compareTopics, type TopicForm } from '../compatibility/compare-topics.ts'
import type { Incompatibility } from '../compatibility/incompatibility.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareVersions } from '../topic-name/version.ts'
import type { Registrations, TopicRegistration } from './registration.ts'

/** @param places - Where the wanted schemas are declared, for messages. */
export function checkRegistrations(
  existing: Registrations,
  wanted: readonly TopicRegistration[],
  places?: SchemaSet['places'],
): void {
  const [first] = wanted
  if (first) checkProject(existing, projectOf(first))
  for (const registration of wanted) {
    const before = existing.get(registration.topic)
    if (before) checkOwner(before, registration)
    for (const other of existing.values()) checkVersion(other, registration)
    for (const other of [...existing.values(), ...wanted]) checkNames(other.topic, registration.topic)
    if (before) checkCompatibility(before, registration, places)
  }
}

function projectOf({ connector, projectId }: TopicRegistration): ProjectIdentity {
  return { ...connector, ...(projectId !== undefined && { id: projectId }) }
}

function checkOwner(existing: TopicRegistration, wanted: TopicRegistration): void {
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

export function refused(message: string, remedy?: Remedy): UserError {
  return new UserError('registration_refused', message, remedy && { remedy })
}

function checkCompatibility(before: TopicForm, after: TopicForm, places: SchemaSet['places']): void {
  const changes = compareTopics(before, after)
  if (changes.length === 0) return
  throw new UserError(
    'incompatible_schema',
    `Topic "${before.topic}" has records and readers, and would change in a way that breaks them:\n` +
      changes.map((change) => `  - ${placeOf(change, places)}${change.message}`).join('\n'),
  )
}

function placeOf({ at }: Incompatibility, places: SchemaSet['places']): string {
  const place = 'declaration' in at ? places?.get(at.declaration) : undefined
  return place ? `${place.file}:${place.line}:${place.column}: ` : ''
}

type ProjectIdentity = Pick<Manifest, 'owner' | 'package' | 'id'>

/**
 * Without a registered id for these names, any is accepted.
 *
 * @throws {UserError} `registration_refused`: the names belong to a project with another id, or differ from registered
 *   ones only in upper and lower case.
 */
export function checkProject(existing: Registrations, project: ProjectIdentity): void {
  const name = nameOf(project)
  const ofName = [...existing.values()].filter(({ connector }) => isEqualIgnoringCase(nameOf(connector), name))
  const other = ofName.find(({ connector }) => nameOf(connector) !== name)
  if (other) throw refused(otherCase(other, project))
  const identified = ofName.filter(({ projectId }) => projectId !== undefined)
  if (identified.length === 0 || identified.some(({ projectId }) => projectId === project.id)) return
  throw refused(otherProject(identified[0]!, project))
}

export function registeredProjectId(existing: Registrations, names: Omit<ProjectIdentity, 'id'>): string | undefined {
  const name = nameOf(names)
  for (const { connector, projectId } of existing.values())
    if (projectId !== undefined && nameOf(connector) === name) return projectId
  return undefined
}

function nameOf(names: Omit<ProjectIdentity, 'id'>): string {
  return `${names.owner}.${names.package}`
}

function isEqualIgnoringCase(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase()
}

function otherCase({ topic, connector }: TopicRegistration, project: ProjectIdentity): string {
  return (
    `This queue has topics of "${nameOf(connector)}", such as "${topic}", and this project is "${nameOf(project)}". ` +
    'Names that differ only in upper and lower case are refused, because readers would confuse them. To continue ' +
    `there, write  owner: ${connector.owner}  and  package: ${connector.package}  in manifest.yaml. Otherwise choose ` +
    'another name.'
  )
}

function otherProject({ topic, projectId }: TopicRegistration, project: ProjectIdentity): string {
  const own = project.id === undefined ? 'no id' : `the id "${project.id}"`
  return (
    `"${nameOf(project)}" belongs to the project with the id "${projectId}" in this queue, which has registered ` +
    `"${topic}". This project has ${own}, and would continue from the checkpoint of the other. If they are different ` +
    'projects, change "package" or "owner" in manifest.yaml. If this is the same project, or replaces it, write  ' +
    `id: ${projectId}  in manifest.yaml.`
  )
}
