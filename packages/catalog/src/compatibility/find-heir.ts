import type { ManifestTopic } from '../manifest/manifest.ts'
import type { Project } from '../manifest/project.ts'
import { templatePattern } from '../manifest/topic-name-template.ts'
import type { TopicForm } from './compare-topics.ts'

/** The topic of a project that goes on with an earlier one: whose name, with some settings, is the same. */
export function findHeir({ topic, message }: TopicForm, { lineage, manifest }: Project): ManifestTopic | undefined {
  if (!topic.startsWith(`${lineage}.`)) return undefined
  const name = topic.slice(lineage.length + 1)
  const named = manifest.topics.filter((one) => templatePattern(one.name).test(name))
  return named.find((one) => one.message === message) ?? named[0]
}
