import type { Project } from '../manifest/project.ts'
import type { ConnectorTopic } from '../manifest/resolve-topics.ts'
import type { TopicRegistration } from './registration.ts'

/** What the registry is to say about a connector instance's topics. */
export function topicRegistrations(
  project: Project,
  instance: string,
  topics: readonly ConnectorTopic[],
): TopicRegistration[] {
  const { owner, package: name, version, title, id } = project.manifest
  return topics.map((topic) => ({
    topic: topic.name,
    lineage: project.lineage,
    instance,
    connector: { owner, package: name, version, ...(title !== undefined && { title }) },
    ...(id !== undefined && { projectId: id }),
    message: topic.message,
    descriptors: project.schema.descriptors,
    bytes: topic.bytes,
    partitions: topic.partitions,
    ...(topic.key !== undefined && { key: topic.key }),
    ...(topic.time !== undefined && { time: topic.time }),
  }))
}
