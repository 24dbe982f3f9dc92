import { RetryableError } from '@headrace/queue'
import type { SinkBatch, SinkTopic } from '../destination/destination.ts'

/**
 * A field that the topic did not have at the start would be lost. After this error the sink is opened again, with the
 * new schema.
 *
 * @throws {RetryableError} `schema_changed`
 */
export function checkFields(topics: readonly SinkTopic[], { topic, records }: SinkBatch): void {
  const known = knownFields(topics.find((one) => one.topic === topic)!)
  if (!known) return
  for (const { value } of records)
    for (const name in value)
      if (!known.has(name))
        throw new RetryableError('schema_changed', `The schema of topic "${topic}" has the new field "${name}".`)
}

const fieldSets = new WeakMap<SinkTopic, ReadonlySet<string>>()

function knownFields(topic: SinkTopic): ReadonlySet<string> | undefined {
  if (!topic.fields) return undefined
  const known = fieldSets.get(topic) ?? new Set(topic.fields.map(({ name }) => name))
  fieldSets.set(topic, known)
  return known
}
