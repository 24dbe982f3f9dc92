import { UserError } from '@headrace/queue'
import { checkTopicName, formatTopicName } from '../topic-name/topic-name.ts'
import type { ManifestTopic, Project } from './manifest.ts'
import type { Settings } from './resolve-settings.ts'
import { fillTemplate, settingsIn } from './topic-name-template.ts'

export interface ResolvedTopics {
  readonly instance: string
  /** Key of its checkpoints: `<lineage>/<instance>`. */
  readonly writerId: string
  readonly topics: readonly ConnectorTopic[]
}

/** `name` is the full name. */
export type ConnectorTopic = ManifestTopic

/**
 * Omits disabled topics.
 *
 * @param instance - Default: the settings in topic names joined by `-`, or `main`.
 * @throws {UserError} `invalid_settings`: a topic name or the instance is not allowed.
 */
export function resolveTopics(project: Project, settings: Settings, instance?: string): ResolvedTopics {
  const { manifest, lineage } = project
  const inNames = [...new Set(manifest.topics.flatMap(({ name }) => settingsIn(name)))]
  const named = instance ?? (inNames.map((name) => String(settings.values[name])).join('-') || 'main')
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(named))
    throw invalid(
      `The instance is named ${JSON.stringify(named)}. Allowed are 1 to 100 letters, digits, ".", "_" and "-".`,
    )
  const written = manifest.topics.filter(({ when }) => when === undefined || settings.values[when] === true)
  const topics = written.map((topic) => {
    const name = formatTopicName({ ...manifest, name: fillTemplate(topic.name, settings.values) })
    const wrong = checkTopicName(name)
    if (wrong !== undefined)
      throw invalid(
        `With these settings a topic would be named "${name}", which is not allowed: ${wrong}. Change ${inNames.join(', ')}.`,
      )
    return { ...topic, name }
  })
  const duplicate = topics.find(({ name }, index) => topics.findIndex((other) => other.name === name) < index)
  if (duplicate)
    throw invalid(`With these settings two topics would be named "${duplicate.name}". Change ${inNames.join(', ')}.`)
  return { instance: named, writerId: `${lineage}/${named}`, topics }
}

function invalid(message: string): UserError {
  return new UserError('invalid_settings', message)
}
