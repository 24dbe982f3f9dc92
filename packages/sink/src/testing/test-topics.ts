import type { SinkTopic } from '../destination/destination.ts'
import type { FieldType } from '../field/topic-fields.ts'

/** A topic of messages with these fields. */
export function testTopic(
  name: string,
  types: Readonly<Record<string, FieldType>> = { id: 'int64', text: 'string' },
  partitions = 1,
): SinkTopic {
  const fields = Object.entries(types).map(([field, type], index) => ({ name: field, number: index + 1, type }))
  return { topic: `acme.test.1_0_0.${name}`, partitions, key: 'id', fields }
}
