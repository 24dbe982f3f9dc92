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
  const { record, seq, unit, error } = canonical
  const { partition, offset, value } = record
  const message = error === undefined && value !== null ? messageOf(topic, record) : null
  const finding = findProblem(topic, canonical, message)
  return {
    shown: { topic: topic.topic, partition, offset, seq, unit, message },
    finding: finding && { ...placeOf(record, { seq, unit }), ...finding },
  }
}

export function messageOf(topic: KnownTopic, record: QueueRecord): PublishedMessage['message'] {
  return rendered(topic, record).value
}

function rendered(
  { render }: KnownTopic,
  record: QueueRecord,
): { readonly key: unknown; readonly value: PublishedMessage['message'] } {
  return JSON.parse(Buffer.from(withCursor(render(record), '')).toString())
}

function findProblem(
  topic: KnownTopic,
  { record, unit, error }: CanonicalRecord,
  shown: PublishedMessage['message'],
): VerifyFinding | undefined {
  const { key, value, partition } = record
  if (error !== undefined || value === null) {
    const message = 'The record has no value: its message could not be produced.'
    return { code: 'message_not_produced', message, found: error ?? null }
  }
  if (shown === null) {
    const message = `The value cannot be decoded as ${topic.codec.name}.`
    return { code: 'message_undecodable', message, found: Buffer.from(value).toString('base64') }
  }
  const ownKey = topic.formOf(unit).readKey?.(value) ?? null
  if (!isSame(ownKey, key)) {
    const [expected, found] = [rendered(topic, { ...record, key: ownKey }).key, rendered(topic, record).key]
    return { code: 'key_wrong', message: 'The key differs from the key in the message.', expected, found }
  }
  const expected = topic.partitions > 1 && key ? partitionForKey(key, topic.partitions) : 0
  if (partition === expected) return undefined
  return { code: 'partition_wrong', message: 'The key belongs to another partition.', expected, found: partition }
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
