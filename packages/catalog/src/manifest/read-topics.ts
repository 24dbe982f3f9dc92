import { isMap, isSeq, type Node, type YAMLMap } from 'yaml'
import { checkTopicNames } from './check-topic-names.ts'
import type { ManifestTopic } from './manifest.ts'
import { defaultTopic, readTopic, type TopicsContext } from './read-topic.ts'
import { describe, fieldOf, type YamlSource } from './yaml-source.ts'

/** A topic, and the map in which the manifest speaks of it: of one that is not listed the whole manifest. */
export interface PlacedTopic {
  readonly topic: ManifestTopic
  readonly map: YAMLMap
}

/**
 * Reads `topics`. By default every top-level message has one that no other message uses as a field. Mistakes are
 * reported.
 */
export function readTopics(source: YamlSource, map: YAMLMap, context: TopicsContext): readonly PlacedTopic[] {
  const node = fieldOf(map, 'topics')
  const topics = node ? readListed(source, node, context) : defaultTopics(source, map, context)
  checkTopicNames(source, topics, context)
  return topics
}

function readListed(source: YamlSource, node: Node, context: TopicsContext): PlacedTopic[] {
  if (!isSeq(node) || node.items.length === 0) {
    source.report(
      node,
      'invalid_topic',
      `"topics" is ${isSeq(node) ? 'an empty list' : describe(node)}; it must be a list with at least one topic.`,
    )
    return []
  }
  const topics: PlacedTopic[] = []
  for (const item of node.items as Node[]) {
    if (!isMap(item)) {
      source.report(
        item,
        'invalid_topic',
        `A topic is ${describe(item)}; it must be a map such as  { message: Block, key: Hash }`,
      )
      continue
    }
    const topic = readTopic(source, item, context)
    const twin = topic && topics.find((other) => other.topic.message === topic.message)
    if (twin)
      source.report(
        item,
        'invalid_topic',
        `Message ${topic.message} has a topic already. A message has one topic: for a second one, define a second message.`,
      )
    else if (topic) topics.push({ topic, map: item })
  }
  return topics
}

function defaultTopics(source: YamlSource, map: YAMLMap, context: TopicsContext): PlacedTopic[] {
  const used = new Set(
    context.messages.flatMap((message) =>
      message.fields.flatMap((field) => (field.message && field.message !== message ? [field.message.typeName] : [])),
    ),
  )
  const messages = context.messages.filter((message) => !message.parent && !used.has(message.typeName))
  if (messages.length === 0)
    source.report(
      map,
      'invalid_topic',
      'The .proto files define no message that could have a topic. Add a message, or list "topics".',
    )
  return messages.map((message) => ({ topic: defaultTopic(message, context), map }))
}
