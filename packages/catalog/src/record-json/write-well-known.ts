import { protoCamelCase, protoSnakeCase } from '@bufbuild/protobuf/reflect'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import type { MessageTable } from './message-table.ts'
import type { Rendering } from './rendering.ts'
import { writeInteger } from './write-number.ts'
import { firstSecond, lastSecond, writeFraction, writeTime } from './write-time.ts'

/** @throws {MalformedMessageError} the value has no JSON form. */
export function writeWellKnown(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { form } = table
  if (form === 'timestamp') writeTimestamp(rendering, base)
  else if (form === 'duration') writeDuration(rendering, base)
  else if (form === 'field-mask') writeFieldMask(rendering, table, base, depth)
  else if (form === 'value') writeValue(rendering, table, base, depth)
  else if (form === 'any') writeAny(rendering, base, depth)
  // A struct, a list value or a wrapper.
  else writeOnly(rendering, table, base, depth)
}

function writeTimestamp(rendering: Rendering, base: number): void {
  const seconds = readInteger(rendering, base)
  const nanos = readInteger(rendering, base + 2)
  if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999)
    throw new MalformedMessageError('a Timestamp is out of range')
  writeTime(rendering.out, seconds, nanos)
}

function writeDuration(rendering: Rendering, base: number): void {
  const seconds = readInteger(rendering, base)
  const nanos = readInteger(rendering, base + 2)
  if (Math.abs(seconds) > longestDuration || Math.abs(nanos) > 999_999_999 || seconds * nanos < 0)
    throw new MalformedMessageError('a Duration is out of range')
  const { out } = rendering
  out.ascii(seconds === 0 && nanos < 0 ? '"-' : '"')
  writeInteger(out, seconds)
  out.reserve(10)
  out.length = writeFraction(out.bytes, out.length, Math.abs(nanos))
  out.ascii('s"')
}

/** Paths in camel case, in one string. */
function writeFieldMask(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { out } = rendering
  const start = out.length
  writeOnly(rendering, table, base, depth)
  const paths: string[] = JSON.parse(out.bytes.toString('utf8', start, out.length))
  if (paths.some((path) => protoSnakeCase(protoCamelCase(path)) !== path))
    throw new MalformedMessageError('a path of a FieldMask has no form in camel case')
  out.length = start
  out.text(JSON.stringify(paths.map(protoCamelCase).join(',')))
}

function writeOnly(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const field = table.fields[0]!
  if (slots.places[base] !== 0) rendering.writeField(rendering, field, base, depth)
  else out.ascii(field.cardinality === 'list' ? '[]' : field.cardinality === 'map' ? '{}' : field.zero!.text)
}

/** An empty value is rendered as null. */
function writeValue(rendering: Rendering, table: MessageTable, base: number, depth: number): void {
  const { out, slots } = rendering
  const start = out.length
  const index = table.fields.findIndex((_, index) => slots.places[base + index * 2] !== 0)
  if (index === -1) out.ascii('null')
  else rendering.writeField(rendering, table.fields[index]!, base + index * 2, depth)
  if (index === numberValue && out.bytes[start] === quote)
    throw new MalformedMessageError('a number of a google.protobuf.Value is not finite')
}

/** The topic's descriptors must have the schema of the contained message. */
function writeAny(rendering: Rendering, base: number, depth: number): void {
  const { out, slots } = rendering
  const typeUrl = readText(rendering, base)
  const table = rendering.tableOf(typeUrl.slice(typeUrl.lastIndexOf('/') + 1))
  if (typeUrl !== '' && !table) throw new MalformedMessageError('the schema of what an Any holds is not known')
  out.ascii('{')
  if (table) {
    out.ascii('"@type":')
    out.text(JSON.stringify(typeUrl))
    // Both are 0 if there is no value.
    writeContained(rendering, table, Math.max(0, slots.places[base + 2]! - 1), slots.places[base + 3]!, depth + 1)
  }
  out.ascii('}')
}

function writeContained(rendering: Rendering, table: MessageTable, start: number, end: number, depth: number): void {
  const { out, reader, slots } = rendering
  if (table.form === 'fields') {
    const base = slots.scan(reader, table, start, end, depth)
    rendering.writeMembers(rendering, table, base, depth)
    slots.release(base)
  } else {
    out.ascii(',"value":')
    rendering.writeMessage(rendering, table, start, end, depth)
  }
}

function readText({ reader, slots }: Rendering, slot: number): string {
  const place = slots.places[slot]!
  if (place === 0) return ''
  return Buffer.from(reader.bytes.subarray(place - 1, slots.places[slot + 1])).toString('utf8')
}

/** Exact up to 2^53, which is beyond the range of Timestamp and Duration. */
function readInteger({ reader, slots }: Rendering, slot: number): number {
  const place = slots.places[slot]!
  if (place === 0) return 0
  reader.at = place - 1
  reader.varint64()
  return (reader.high | 0) * 0x1_0000_0000 + reader.low
}

const longestDuration = 315_576_000_000
const numberValue = 1
const quote = 0x22
