import { withCursor } from '@headrace/catalog'
import { partitionForKey, type QueueRecord } from '@headrace/queue'
import type { PublishedMessage } from '../connector/published.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { CanonicalRecord } from './read-canonical.ts'
import type { KnownTopic } from './topics-to-verify.ts'

export interface ShownRecord {
  readonly shown: PublishedMessage
  readonly finding: VerifyFinding | undefined
}

export function showRecord(topic: KnownTopic, canonical: CanonicalRecord): ShownRecord {
  const { record, seq, unit } = canonical
  const { message, finding } = inspectRecord(topic, canonical)
  const { partition, offset } = record
  return {
    shown: { topic: topic.topic, partition, offset, seq, unit, message },
    finding: finding && { ...placeOf(record, { seq, unit }), ...finding },
  }
}

/** The JSON that readers get of a record's value. */
export function messageOf(topic: KnownTopic, record: QueueRecord): PublishedMessage['message'] {
  return rendered(topic, record).value
}

function keyOf(topic: KnownTopic, record: QueueRecord): unknown {
  return rendered(topic, record).key
}

function rendered({ render }: KnownTopic, record: QueueRecord): Rendered {
  return JSON.parse(Buffer.from(withCursor(render(record), '')).toString()) as Rendered
}

interface Rendered {
  readonly key: unknown
  readonly value: PublishedMessage['message']
}

interface Inspection {
  readonly message: PublishedMessage['message']
  readonly finding?: VerifyFinding
}

function inspectRecord(topic: KnownTopic, { record, unit, error }: CanonicalRecord): Inspection {
  const { key, value, partition } = record
  if (error !== undefined || value === null) {
    const text = 'The record has no value: its message could not be produced.'
    return { message: null, finding: { code: 'message_not_produced', message: text, found: error ?? null } }
  }
  const message = messageOf(topic, record)
  if (message === null) {
    const text = `The value cannot be decoded as ${topic.codec.name}.`
    return {
      message,
      finding: { code: 'message_undecodable', message: text, found: Buffer.from(value).toString('base64') },
    }
  }
  const ownKey = topic.formOf(unit).readKey?.(value) ?? null
  if (!isSame(ownKey, key)) {
    const [expected, found] = [keyOf(topic, { ...record, key: ownKey }), keyOf(topic, record)]
    const text = 'The key differs from the key in the message.'
    return { message, finding: { code: 'key_wrong', message: text, expected, found } }
  }
  const expected = topic.partitions > 1 && key ? partitionForKey(key, topic.partitions) : 0
  if (partition === expected) return { message }
  return {
    message,
    finding: { code: 'partition_wrong', message: 'The key belongs to another partition.', expected, found: partition },
  }
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
