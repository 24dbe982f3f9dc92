import { partitionForKey, type QueueRecord } from '@headrace/queue'
import type { MessageWriter } from '../wire/message-writer.ts'
import { fieldDifferences } from './field-differences.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { StandingRecord } from './read-standing.ts'
import { messageOf } from './show-record.ts'
import type { KnownTopic } from './topics-to-verify.ts'

/** A message as it should lie in a partition. */
interface ExpectedMessage {
  /** Its place among the messages of the unit in this topic. */
  readonly index: number
  /** `null`: it cannot be encoded, and only its place is kept. */
  readonly value: Uint8Array | null
  readonly key: Uint8Array | null
}

/** Which unit of which topic is compared. */
export interface Comparison {
  readonly topic: KnownTopic
  readonly unit: number
  /** Holds what is expected until the next `reset`. */
  readonly writer: MessageWriter
}

/**
 * Compares the records of a unit in one topic with messages, partition by partition: what is missing, what is there
 * beside them, what differs, and where only the order does. Keys follow from values, and are checked with each record.
 */
export function messageDifferences(
  comparison: Comparison,
  published: readonly StandingRecord[],
  messages: readonly unknown[],
): VerifyFinding[] {
  if (published.length === 0 && messages.length === 0) return []
  const { topic, unit } = comparison
  const expected = encodeAll(comparison, messages)
  const found = Map.groupBy(comparable(comparison, published), ({ record }) => record.partition)
  const lists = expected.map((list, partition) => compareLists(topic, found.get(partition) ?? [], list))
  // A place is kept in partition 0, whatever the key of its message would have been. There is a finding about it already.
  const places = lists.reduce((sum, { places }) => sum + places, 0)
  const missing = lists.flatMap(({ left }, partition) => left.map((message) => ({ message, partition })))
  const untold = missing.sort((one, other) => one.message.index - other.message.index).slice(places)
  return [
    ...lists.flatMap(({ findings }) => findings),
    ...untold.map(({ message, partition }) => isMissing(topic, { unit, partition }, message)),
  ]
}

/** Without the fields that the schema of then, or that of now, does not have. */
function comparable({ topic, unit }: Comparison, published: readonly StandingRecord[]): readonly StandingRecord[] {
  const { filter } = topic.formOf(unit)
  if (!filter) return published
  return published.map(({ record, ...standing }) => ({
    ...standing,
    record: { ...record, value: record.value && filter(record.value) },
  }))
}

function encodeAll({ topic, unit, writer }: Comparison, messages: readonly unknown[]): ExpectedMessage[][] {
  const { codec, partitions } = topic
  const { readKey, filter } = topic.formOf(unit)
  const lists = Array.from({ length: partitions }, (): ExpectedMessage[] => [])
  for (const [index, message] of messages.entries()) {
    let value: Uint8Array | null
    try {
      codec.encode(message, writer.codecWriter)
      value = writer.take()
    } catch {
      writer.discard()
      value = null
    }
    const key = (value && readKey?.(value)) ?? null
    const form = { index, value: value && filter ? filter(value) : value, key }
    lists[partitions > 1 && key ? partitionForKey(key, partitions) : 0]!.push(form)
  }
  return lists
}

interface Place {
  readonly unit: number
  readonly partition: number
}

interface ListDifferences {
  readonly findings: readonly VerifyFinding[]
  /** Messages for which there is no record. */
  readonly left: readonly ExpectedMessage[]
  /** Records that only keep the place of a message which is not known. */
  readonly places: number
}

function compareLists(
  topic: KnownTopic,
  published: readonly StandingRecord[],
  expected: readonly ExpectedMessage[],
): ListDifferences {
  const firstOther = published.findIndex(({ record }, at) => !hasValue(record, expected[at]))
  if (firstOther < 0 && published.length === expected.length) return { findings: [], left: [], places: 0 }
  // What is left on each side when equal ones are taken away in pairs.
  const wanted = Map.groupBy(expected, valueText)
  const others = published.filter(({ record }) => !wanted.get(valueText(record))?.shift())
  const left = [...wanted.values()].flat()
  if (others.length === 0 && left.length === 0)
    return { findings: [outOfOrder(topic, published[firstOther]!, expected[firstOther]!)], left, places: 0 }
  const byKey = Map.groupBy(left, ({ key }) => keyText(key))
  const differing = others.filter(({ record }) => record.value !== null)
  const findings = differing.map((standing) => {
    const { record, seq, unit } = standing
    const twin = byKey.get(keyText(record.key))?.shift()
    const at = placeOf(record, { seq, unit })
    return twin ? differs(topic, standing, twin) : { ...at, ...unexpected(topic, record) }
  })
  return { findings, left: [...byKey.values()].flat(), places: others.length - differing.length }
}

function hasValue({ value }: QueueRecord, expected: ExpectedMessage | undefined): boolean {
  if (!value || !expected?.value) return expected !== undefined && value === expected.value
  return Buffer.compare(value, expected.value) === 0
}

function valueText({ value }: { readonly value: Uint8Array | null }): string {
  return value === null ? 'null' : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
}

function keyText(key: Uint8Array | null): string | null {
  return key && Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

function differs(
  topic: KnownTopic,
  { record, seq, unit }: StandingRecord,
  { key, value }: ExpectedMessage,
): VerifyFinding {
  const shown = messageOf(topic, record)
  const { names, expected, found } = fieldDifferences(messageOf(topic, { ...record, key, value, headers: [] }), shown)
  const message =
    names.length > 0
      ? `In the source ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} different.`
      : 'It is encoded in another way than the message of the source.'
  return { code: 'message_differs', message, ...placeOf(record, { seq, unit }), expected, found }
}

function unexpected(topic: KnownTopic, record: QueueRecord): VerifyFinding {
  return {
    code: 'message_unexpected',
    message: 'The source has no such message, or not so often.',
    found: messageOf(topic, record),
  }
}

function isMissing(topic: KnownTopic, { unit, partition }: Place, { key, value }: ExpectedMessage): VerifyFinding {
  const record = { topic: topic.topic, partition, offset: 0n, time: 0, key, value, headers: [] }
  const expected = messageOf(topic, record)
  const message = 'The source has a message that is not there.'
  return { code: 'message_missing', message, topic: topic.topic, partition, unit, expected }
}

function outOfOrder(topic: KnownTopic, { record, seq, unit }: StandingRecord, first: ExpectedMessage): VerifyFinding {
  const message = 'The messages are those of the source in another order: in its place another one comes.'
  const expected = messageOf(topic, { ...record, ...first, headers: [] })
  return {
    code: 'message_out_of_order',
    message,
    ...placeOf(record, { seq, unit }),
    expected,
    found: messageOf(topic, record),
  }
}
