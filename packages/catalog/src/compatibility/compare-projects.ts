import { type ManifestTopic, settingDefaults } from '../manifest/manifest.ts'
import type { Project } from '../manifest/project.ts'
import { fillTemplate, templatePattern } from '../manifest/topic-name-template.ts'
import type { Problem } from '../problem.ts'
import { formatTopicName } from '../topic-name/topic-name.ts'
import { comparePublication, createCanBecome, warnOfName } from './compare-publication.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'
import { type Incompatibility, newVersionRemedy } from './incompatibility.ts'

export interface Comparison {
  /** Full names of the compared topics. */
  readonly topics: readonly string[]
  /** Incompatible changes, and warnings of topics that may no longer be published. */
  readonly problems: readonly Problem[]
}

/** Compares a project with an earlier state of it. */
export function compareProjects(before: Project, after: Project): Comparison {
  if (before.lineage !== after.lineage) return { topics: [], problems: [] }
  const { manifest } = before
  const defaults = settingDefaults(manifest.config)
  const nameOf = ({ name }: ManifestTopic) => formatTopicName({ ...manifest, name: fillTemplate(name, defaults) })
  const forms = manifest.topics.map((topic) => formOf(nameOf(topic), topic, before))
  const canBecome = createCanBecome(after.manifest.config)
  const unpublished = manifest.topics.flatMap((topic, index) => {
    const current = findCurrentTopic(forms[index]!, after)
    return current ? comparePublication({ topic, before, current, after }, canBecome) : []
  })
  const { topics, problems } = comparePublished(forms, after)
  return { topics, problems: [...problems, ...unpublished] }
}

/** Compares published topics with what the project would publish. */
export function comparePublished(published: readonly TopicForm[], project: Project): Comparison {
  const found = new Map<string, Problem>()
  const canBecome = createCanBecome(project.manifest.config)
  for (const before of published) {
    const current = findCurrentTopic(before, project)
    const problems = current
      ? compareTopics(before, formOf(before.topic, current, project)).map((one) => placed(one, current, project))
      : [removed(before, project)]
    const name = before.topic.slice(project.lineage.length + 1)
    if (current && !canBecome(current.name, name)) problems.push(warnOfName(name, current, project))
    for (const problem of problems) found.set(problem.message, problem)
  }
  return { topics: published.map(({ topic }) => topic), problems: [...found.values()] }
}

function formOf(topic: string, current: ManifestTopic, { schema }: Project): TopicForm {
  return { ...current, topic, descriptors: schema.descriptors }
}

function placed({ message, at }: Incompatibility, current: ManifestTopic, { schema, topicPlace }: Project): Problem {
  const declared = 'declaration' in at ? schema.places?.get(at.declaration) : topicPlace(current.message, at.setting)
  return { severity: 'error', code: 'incompatible_schema', ...(declared ?? topicPlace(current.message)), message }
}

function removed({ topic, message }: TopicForm, { topicPlace }: Project): Problem {
  return {
    severity: 'error',
    code: 'incompatible_schema',
    ...topicPlace(),
    message:
      `Topic "${topic}" with the message ${message} was removed. Its readers would wait for records that never come. ` +
      `Restore it. ${newVersionRemedy}`,
  }
}

/** Settings may give it the earlier topic's name. */
function findCurrentTopic({ topic, message }: TopicForm, { lineage, manifest }: Project): ManifestTopic | undefined {
  if (!topic.startsWith(`${lineage}.`)) return undefined
  const name = topic.slice(lineage.length + 1)
  const named = manifest.topics.filter((one) => templatePattern(one.name).test(name))
  return named.find((one) => one.message === message) ?? named[0]
}
