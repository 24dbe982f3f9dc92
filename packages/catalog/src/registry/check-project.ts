import { UserError } from '@headrace/queue'
import type { TopicRegistration } from './registration.ts'

export interface ProjectIdentity {
  readonly owner: string
  readonly package: string
  readonly id?: string
}

type Registrations = ReadonlyMap<string, TopicRegistration>

/**
 * Checks whether a project may publish under its owner and package. Without a registered id for these names, any is
 * accepted.
 *
 * @throws {UserError} `registration_refused`: the names belong to a project with another id, or differ from registered
 *   ones only in upper and lower case.
 */
export function checkProject(existing: Registrations, project: ProjectIdentity): void {
  const name = nameOf(project)
  const alike = [...existing.values()].filter(({ connector }) => isAlike(nameOf(connector), name))
  const other = alike.find(({ connector }) => nameOf(connector) !== name)
  if (other) throw refused(otherCase(other, project))
  const identified = alike.filter(({ projectId }) => projectId !== undefined)
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

function isAlike(one: string, other: string): boolean {
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

function refused(message: string): UserError {
  return new UserError('registration_refused', message)
}
