import { withCursor } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { PublishedMessage } from '../connector/published.ts'
import { partitionOf } from '../runtime/start/message-topic.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { KnownTopic } from './partitions-to-verify.ts'
import type { CanonicalRecord } from './read-canonical.ts'

export function showRecord(topic: KnownTopic, { record, seq, unit, error }: CanonicalRecord): PublishedMessage {
  const { partition, offset, value } = record
  const message = error === undefined && value !== null ? messageOf(topic, record) : null
  return { topic: topic.topic, partition, offset, seq, unit, message }
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

/** Finds what is wrong with a record by itself. */
export function recordFinding(
  topic: KnownTopic,
  { record, seq, unit, error }: CanonicalRecord,
  { message: shown }: PublishedMessage,
): VerifyFinding | undefined {
  const { key, value, partition } = record
  const wrong = (code: string, message: string, values: Pick<VerifyFinding, 'expected' | 'found'>): VerifyFinding => {
    return { code, message, ...placeOf(record, { seq, unit }), ...values }
  }
  if (error !== undefined || value === null) {
    const message = 'The record has no value: its message could not be produced.'
    return wrong('message_not_produced', message, { found: error ?? null })
  }
  if (shown === null) {
    const message = `The value cannot be decoded as ${topic.codec.name}.`
    return wrong('message_undecodable', message, { found: Buffer.from(value).toString('base64') })
  }
  const ownKey = topic.formOf(unit).readKey?.(value) ?? null
  if (!isSame(ownKey, key)) {
    const [expected, found] = [rendered(topic, { ...record, key: ownKey }).key, rendered(topic, record).key]
    return wrong('key_wrong', 'The key differs from the key in the message.', { expected, found })
  }
  const expected = partitionOf(topic, key)
  if (partition === expected) return undefined
  return wrong('partition_wrong', 'The key belongs to another partition.', { expected, found: partition })
}

export function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
