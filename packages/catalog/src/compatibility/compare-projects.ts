import { type ManifestTopic, settingDefaults } from '../manifest/manifest.ts'
import type { Project } from '../manifest/project.ts'
import { fillTemplate, templatePattern } from '../manifest/topic-name-template.ts'
import type { Problem } from '../problem.ts'
import { formatTopicName } from '../topic-name/topic-name.ts'
import { comparePublication, createReachesName, warnOfName } from './compare-publication.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'
import { beginAnew, type Incompatibility } from './incompatibility.ts'

/** What became of topics that were published before. */
export interface Comparison {
  /** Full names of the earlier topics of the same lineage. Without any there was nothing to compare. */
  readonly topics: readonly string[]
  /** Each change that breaks readers, and a warning of each topic that may not be published any more, at their places. */
  readonly problems: readonly Problem[]
}

/** Compares a project with an earlier state of itself. Topics of another lineage have nothing to do with each other. */
export function compareProjects(before: Project, after: Project): Comparison {
  if (before.lineage !== after.lineage) return { topics: [], problems: [] }
  const { manifest } = before
  const defaults = settingDefaults(manifest.config)
  const nameOf = ({ name }: ManifestTopic) => formatTopicName({ ...manifest, name: fillTemplate(name, defaults) })
  const forms = manifest.topics.map((topic) => formOf(nameOf(topic), topic, before))
  const reaches = createReachesName(after.manifest.config)
  const unpublished = manifest.topics.flatMap((topic, index) => {
    const heir = findHeir(forms[index]!, after)
    return heir ? comparePublication({ topic, before, heir, after }, reaches) : []
  })
  const { topics, problems } = comparePublished(forms, after)
  return { topics, problems: [...problems, ...unpublished] }
}

/** Compares the topics of a project's lineage, as they were published, with what the project would publish. */
export function comparePublished(published: readonly TopicForm[], project: Project): Comparison {
  const found = new Map<string, Problem>()
  const reaches = createReachesName(project.manifest.config)
  for (const before of published) {
    const heir = findHeir(before, project)
    const problems = heir
      ? compareTopics(before, formOf(before.topic, heir, project)).map((one) => placed(one, heir, project))
      : [removed(before, project)]
    const name = before.topic.slice(project.lineage.length + 1)
    if (heir && !reaches(heir.name, name)) problems.push(warnOfName(name, heir, project))
    // Topics that share a message break with it all at once: it is told once.
    for (const problem of problems) found.set(problem.message, problem)
  }
  return { topics: published.map(({ topic }) => topic), problems: [...found.values()] }
}

function formOf(topic: string, heir: ManifestTopic, { schema }: Project): TopicForm {
  return { ...heir, topic, descriptors: schema.descriptors }
}

function placed({ message, at }: Incompatibility, heir: ManifestTopic, { schema, topicPlace }: Project): Problem {
  const declared = 'declaration' in at ? schema.places?.get(at.declaration) : topicPlace(heir.message, at.setting)
  return { severity: 'error', code: 'incompatible_schema', ...(declared ?? topicPlace(heir.message)), message }
}

function removed({ topic, message }: TopicForm, { topicPlace }: Project): Problem {
  return {
    severity: 'error',
    code: 'incompatible_schema',
    ...topicPlace(),
    message:
      `Topic "${topic}" with the message ${message} is no longer there. Its readers would wait for records that never ` +
      `come. Put it back. ${beginAnew}`,
  }
}

/** The topic of a project that goes on with an earlier one: whose name, with some settings, is the same. */
function findHeir({ topic, message }: TopicForm, { lineage, manifest }: Project): ManifestTopic | undefined {
  if (!topic.startsWith(`${lineage}.`)) return undefined
  const name = topic.slice(lineage.length + 1)
  const named = manifest.topics.filter((one) => templatePattern(one.name).test(name))
  return named.find((one) => one.message === message) ?? named[0]
}
