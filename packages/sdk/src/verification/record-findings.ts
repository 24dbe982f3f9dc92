import { headerKeys, schemaGuidIn, withCursor } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { PublishedMessage } from '../connector/published.ts'
import { type KeyAndValue, keyAndValue, partitionOf } from '../runtime/start/message-topic.ts'
import type { MessageWriter } from '../wire/message-writer.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { KnownTopic } from './partitions-to-verify.ts'
import type { CanonicalRecord } from './read-canonical.ts'

/** A message of the source, as its record must be. */
interface ExpectedMessage extends KeyAndValue {
  readonly index: number
  readonly partition: number
}

export interface Comparison {
  readonly topic: KnownTopic
  readonly unit: number
  readonly writer: MessageWriter
}

export function showRecord(topic: KnownTopic, { record, seq, unit, error }: CanonicalRecord): PublishedMessage {
  const { partition, offset, value } = record
  const message = error === undefined && value !== null ? messageOf(topic, record) : null
  return { topic: topic.topic, partition, offset, seq, unit, message }
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
  const header = record.headers.find(({ key }) => key === headerKeys.schema)
  if (header && !topic.schemas.has(schemaGuidIn(header.value) ?? '')) {
    const found = Buffer.from(header.value).toString('hex')
    return wrong('schema_wrong', 'The header names no schema of the topic.', { expected: [...topic.schemas], found })
  }
  const expected = partitionOf(topic, key)
  if (partition === expected) return undefined
  return wrong('partition_wrong', 'The key belongs to another partition.', { expected, found: partition })
}

/** Compares the values of a unit with its messages. Keys are not compared: `recordFinding` checks them. */
export function messageDifferences(
  { topic, unit, writer }: Comparison,
  published: readonly CanonicalRecord[],
  messages: readonly unknown[],
): VerifyFinding[] {
  if (published.length === 0 && messages.length === 0) return []
  const { readKey, filter } = topic.formOf(unit)
  const expected = messages.map((message, index): ExpectedMessage => {
    const { key, value } = keyAndValue({ ...topic, readKey }, message, writer)
    return { index, key, value: value && filter ? filter(value) : value, partition: partitionOf(topic, key) }
  })
  // Omits the fields that only one of the registered schema and the present schema has.
  const comparable = (canonical: CanonicalRecord): CanonicalRecord => {
    const { record } = canonical
    return filter ? { ...canonical, record: { ...record, value: record.value && filter(record.value) } } : canonical
  }
  const expectedIn = Map.groupBy(expected, ({ partition }) => partition)
  const foundIn = Map.groupBy(published.map(comparable), ({ record }) => record.partition)
  const lists = Array.from({ length: topic.partitions }, (_, partition) =>
    compareLists(topic, foundIn.get(partition) ?? [], expectedIn.get(partition) ?? []),
  )
  // A record without a value is in partition 0, whatever its message. It has already been reported.
  const emptyRecords = lists.reduce((sum, { emptyRecords }) => sum + emptyRecords, 0)
  const unmatched = lists.flatMap(({ unmatched }) => unmatched).sort((one, other) => one.index - other.index)
  return [
    ...lists.flatMap(({ findings }) => findings),
    ...unmatched.slice(emptyRecords).map((message) => missing(topic, unit, message)),
  ]
}

function compareLists(topic: KnownTopic, published: readonly CanonicalRecord[], expected: readonly ExpectedMessage[]) {
  const firstOther = published.findIndex(({ record }, at) => !expected[at] || !isSame(record.value, expected[at].value))
  if (firstOther < 0 && published.length === expected.length) return { findings: [], unmatched: [], emptyRecords: 0 }
  const wanted = Map.groupBy(expected, ({ value }) => textOf(value))
  const others = published.filter(({ record }) => !wanted.get(textOf(record.value))?.shift())
  const unmatched = [...wanted.values()].flat()
  if (others.length === 0 && unmatched.length === 0)
    return { findings: [outOfOrder(topic, published[firstOther]!, expected[firstOther]!)], unmatched, emptyRecords: 0 }
  const byKey = Map.groupBy(unmatched, ({ key }) => textOf(key))
  const differing = others.filter(({ record }) => record.value !== null)
  const findings = differing.map((canonical) => {
    const counterpart = byKey.get(textOf(canonical.record.key))?.shift()
    return counterpart ? differs(topic, canonical, counterpart) : unexpected(topic, canonical)
  })
  return { findings, unmatched: [...byKey.values()].flat(), emptyRecords: others.length - differing.length }
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function differs(topic: KnownTopic, { record, seq, unit }: CanonicalRecord, source: ExpectedMessage): VerifyFinding {
  const { key, value } = source
  const inSource = messageOf(topic, { ...record, key, value, headers: [] })
  const { names, expected, found } = fieldDifferences(inSource, messageOf(topic, record))
  const message =
    names.length > 0
      ? `${names.join(', ')} ${names.length === 1 ? 'differs' : 'differ'} from the source.`
      : 'The message equals that of the source, but is encoded differently.'
  return { code: 'message_differs', message, ...placeOf(record, { seq, unit }), expected, found }
}

function unexpected(topic: KnownTopic, { record, seq, unit }: CanonicalRecord): VerifyFinding {
  const message = 'The source has no such message, or fewer of them.'
  const found = messageOf(topic, record)
  return { code: 'message_unexpected', message, ...placeOf(record, { seq, unit }), found }
}

function missing(topic: KnownTopic, unit: number, { partition, key, value }: ExpectedMessage): VerifyFinding {
  const record = { topic: topic.topic, partition, offset: 0n, time: 0, key, value, headers: [] }
  const expected = messageOf(topic, record)
  const message = 'A message of the source is not published.'
  return { code: 'message_missing', message, topic: topic.topic, partition, unit, expected }
}

function outOfOrder(topic: KnownTopic, { record, seq, unit }: CanonicalRecord, first: ExpectedMessage): VerifyFinding {
  const message = 'The messages are in another order than in the source: another one is expected here.'
  const expected = messageOf(topic, { ...record, ...first, headers: [] })
  const found = messageOf(topic, record)
  return { code: 'message_out_of_order', message, ...placeOf(record, { seq, unit }), expected, found }
}

type Fields = Readonly<Record<string, unknown>> | null

function fieldDifferences(expected: Fields, found: Fields) {
  if (!expected || !found) return { names: [], expected, found }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (name) => JSON.stringify(expected[name]) !== JSON.stringify(found[name]),
  )
  return { names, expected: pick(expected, names), found: pick(found, names) }
}

function pick(fields: NonNullable<Fields>, names: readonly string[]): NonNullable<Fields> {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
}

function messageOf(topic: KnownTopic, record: QueueRecord): PublishedMessage['message'] {
  return rendered(topic, record).value
}

function rendered(
  { render }: KnownTopic,
  record: QueueRecord,
): { readonly key: unknown; readonly value: PublishedMessage['message'] } {
  return JSON.parse(Buffer.from(withCursor(render(record), '')).toString())
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
