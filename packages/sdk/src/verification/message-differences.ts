import { partitionForKey, type QueueRecord } from '@headrace/queue'
import type { MessageWriter } from '../wire/message-writer.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { CanonicalRecord } from './read-canonical.ts'
import { messageOf } from './show-record.ts'
import type { KnownTopic } from './topics-to-verify.ts'

interface ExpectedMessage {
  readonly index: number
  /** `null`: it cannot be encoded, so its record has no value. */
  readonly value: Uint8Array | null
  readonly key: Uint8Array | null
}

export interface Comparison {
  readonly topic: KnownTopic
  readonly unit: number
  readonly writer: MessageWriter
}

/** Keys are checked with each record. */
export function messageDifferences(
  comparison: Comparison,
  published: readonly CanonicalRecord[],
  messages: readonly unknown[],
): VerifyFinding[] {
  if (published.length === 0 && messages.length === 0) return []
  const { topic, unit } = comparison
  const expected = encodeAll(comparison, messages)
  const found = Map.groupBy(comparable(comparison, published), ({ record }) => record.partition)
  const lists = expected.map((list, partition) => compareLists(topic, found.get(partition) ?? [], list))
  // Empty records are in partition 0, whatever their message, and are reported already.
  const emptyRecords = lists.reduce((sum, { emptyRecords }) => sum + emptyRecords, 0)
  const missing = lists.flatMap(({ unmatched }, partition) => unmatched.map((message) => ({ message, partition })))
  const unreported = missing.sort((one, other) => one.message.index - other.message.index).slice(emptyRecords)
  return [
    ...lists.flatMap(({ findings }) => findings),
    ...unreported.map(({ message, partition }) => isMissing(topic, { unit, partition }, message)),
  ]
}

/** Without the fields that only one of the registered and the present schema has. */
function comparable({ topic, unit }: Comparison, published: readonly CanonicalRecord[]): readonly CanonicalRecord[] {
  const { filter } = topic.formOf(unit)
  if (!filter) return published
  return published.map(({ record, ...canonical }) => ({
    ...canonical,
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

interface ListDifferences {
  readonly findings: readonly VerifyFinding[]
  readonly unmatched: readonly ExpectedMessage[]
  readonly emptyRecords: number
}

function compareLists(
  topic: KnownTopic,
  published: readonly CanonicalRecord[],
  expected: readonly ExpectedMessage[],
): ListDifferences {
  const firstOther = published.findIndex(({ record }, at) => !hasValue(record, expected[at]))
  if (firstOther < 0 && published.length === expected.length) return { findings: [], unmatched: [], emptyRecords: 0 }
  const wanted = Map.groupBy(expected, valueText)
  const others = published.filter(({ record }) => !wanted.get(valueText(record))?.shift())
  const unmatched = [...wanted.values()].flat()
  if (others.length === 0 && unmatched.length === 0)
    return { findings: [outOfOrder(topic, published[firstOther]!, expected[firstOther]!)], unmatched, emptyRecords: 0 }
  const byKey = Map.groupBy(unmatched, ({ key }) => keyText(key))
  const differing = others.filter(({ record }) => record.value !== null)
  const findings = differing.map((canonical) => {
    const { record, seq, unit } = canonical
    const counterpart = byKey.get(keyText(record.key))?.shift()
    const at = placeOf(record, { seq, unit })
    return counterpart ? differs(topic, canonical, counterpart) : { ...at, ...unexpected(topic, record) }
  })
  return { findings, unmatched: [...byKey.values()].flat(), emptyRecords: others.length - differing.length }
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
  { record, seq, unit }: CanonicalRecord,
  { key, value }: ExpectedMessage,
): VerifyFinding {
  const shown = messageOf(topic, record)
  const { names, expected, found } = fieldDifferences(messageOf(topic, { ...record, key, value, headers: [] }), shown)
  const message =
    names.length > 0
      ? `${names.join(', ')} ${names.length === 1 ? 'differs' : 'differ'} from the source.`
      : 'The message equals that of the source, but is encoded differently.'
  return { code: 'message_differs', message, ...placeOf(record, { seq, unit }), expected, found }
}

function unexpected(topic: KnownTopic, record: QueueRecord): VerifyFinding {
  return {
    code: 'message_unexpected',
    message: 'The source has no such message, or fewer of them.',
    found: messageOf(topic, record),
  }
}

function isMissing(
  topic: KnownTopic,
  { unit, partition }: Pick<CanonicalRecord, 'unit'> & Pick<QueueRecord, 'partition'>,
  { key, value }: ExpectedMessage,
): VerifyFinding {
  const record = { topic: topic.topic, partition, offset: 0n, time: 0, key, value, headers: [] }
  const expected = messageOf(topic, record)
  const message = 'A message of the source is not published.'
  return { code: 'message_missing', message, topic: topic.topic, partition, unit, expected }
}

function outOfOrder(topic: KnownTopic, { record, seq, unit }: CanonicalRecord, first: ExpectedMessage): VerifyFinding {
  const message = 'The messages are in another order than in the source: another one is expected here.'
  const expected = messageOf(topic, { ...record, ...first, headers: [] })
  return {
    code: 'message_out_of_order',
    message,
    ...placeOf(record, { seq, unit }),
    expected,
    found: messageOf(topic, record),
  }
}

type Fields = Readonly<Record<string, unknown>> | null

interface FieldDifferences {
  readonly names: readonly string[]
  readonly expected: Fields
  readonly found: Fields
}

function fieldDifferences(expected: Fields, found: Fields): FieldDifferences {
  if (!expected || !found) return { names: [], expected, found }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (name) => JSON.stringify(expected[name]) !== JSON.stringify(found[name]),
  )
  return { names, expected: pick(expected, names), found: pick(found, names) }
}

function pick(fields: NonNullable<Fields>, names: readonly string[]): NonNullable<Fields> {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
}
