import { isUtf8 } from 'node:buffer'
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { QueueRecord } from '@headrace/queue'
import { createCursorWriter } from '../position/cursor-writer.ts'
import { placeAfter } from '../position/reader-position.ts'
import { type RecordHeaders, readRecordHeaders } from '../record-header/record-header.ts'
import { registeredMessage } from '../registry/registered-message.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { type BytesForm, scalarForms } from '../schema/scalar-forms.ts'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import { MalformedMessageError, WireReader } from '../wire/wire-reader.ts'
import { FieldSlots } from './field-slots.ts'
import { createLiteral, type JsonLiteral, JsonWriter } from './json-writer.ts'
import { createMessageTables, type MessageTable, withOnly } from './message-table.ts'
import type { Rendering } from './rendering.ts'
import { writeBytes } from './write-bytes.ts'
import { nestedWriters, writeMessage } from './write-message.ts'
import { writeUnsigned } from './write-number.ts'
import { writeText } from './write-text.ts'
import { writeRecordTime } from './write-time.ts'

export interface RecordRenderer {
  /**
   * Without the cursor and the closing brace, which `withCursor` adds. The caller owns the bytes. A value that is not a
   * message of the schema gives a record with an `error`.
   */
  render(record: QueueRecord): Uint8Array
  renderWhole(record: QueueRecord): WholeRecord
}

export interface WholeRecord {
  /** The caller owns the bytes. */
  readonly json: Uint8Array
  /** `null` if a foreign producer wrote the record. */
  readonly seq: number | null
  /** In bytes. */
  readonly cursorLength: number
}

export interface RecordRendererOptions {
  /** Members of `value`, from `parseFields`. Other fields are skipped, and not checked. Default: all. */
  readonly fields?: readonly string[]
  /**
   * The id of the topic, which must have one partition: whole records get the cursor after them. Default: an empty
   * cursor.
   */
  readonly cursorsOf?: string
}

/** @throws {UserError} `invalid_schema`: the descriptors do not contain the registered message. */
export function createRecordRenderer(
  registration: TopicRegistration,
  { fields, cursorsOf }: RecordRendererOptions = {},
): RecordRenderer {
  const schema = schemaFromDescriptors(registration.descriptors)
  const message = registeredMessage(registration)
  const tableOf = createMessageTables(registration.bytes)
  const table = fields ? withOnly(tableOf(message), indexesOf(fields, message)) : tableOf(message)
  const rendering: Rendering = {
    reader: new WireReader(),
    out: new JsonWriter(),
    slots: new FieldSlots(),
    bytes: registration.bytes,
    ordered: true,
    ...nestedWriters,
    tableOf(typeName) {
      const contained = schema.message(typeName)
      return contained && tableOf(contained)
    },
  }
  const keyField = message.fields.find(({ name }) => name === registration.key)
  const writeKey = createKeyWriter(keyField, registration.bytes)
  const { out } = rendering
  const writeCursor = cursorsOf === undefined ? undefined : createCursorWriter(cursorsOf, registration.topic)
  const prefix = createLiteral(`{"topic":${JSON.stringify(registration.topic)},"partition":`)
  return {
    render(record) {
      write(record)
      return out.toBytes()
    },
    renderWhole(record) {
      const { seq = null } = write(record)
      out.literal(members.cursor)
      const cursorLength = writeCursor ? writeCursor(out, placeAfter(record.offset, seq)) : 0
      out.literal(members.end)
      return { json: out.toBytes(), seq, cursorLength }
    },
  }

  function write(record: QueueRecord): RecordHeaders {
    out.reset()
    out.literal(prefix)
    writeUnsigned(out, record.partition)
    const headers = readRecordHeaders(record.headers)
    writeNumberMember(out, members.seq, headers.seq)
    writeNumberMember(out, members.unit, headers.unit)
    writeNumberMember(out, members.offset, Number(record.offset))
    out.literal(members.time)
    writeRecordTime(out, record.time)
    out.literal(members.key)
    writeKey(out, record.key)
    out.literal(headers.op === 'revert' ? members.revert : members.append)
    if (headers.reverts !== undefined) writeNumberMember(out, members.reverts, headers.reverts)
    out.literal(members.value)
    if (headers.error !== undefined) writeFailure(rendering, 'produce_failed', record.value)
    else if (record.value === null) out.ascii('null')
    else writeRecordValue(rendering, table, record.value)
    return headers
  }
}

function indexesOf(fields: readonly string[], message: DescMessage): Set<number> {
  return new Set(fields.map((name) => message.fields.findIndex((field) => field.name === name)))
}

/** @param skipped - Written before the cursor. Absent: nothing is written. */
export function withCursor(rendered: Uint8Array, cursor: string, skipped?: number): Uint8Array {
  const end = `${skipped === undefined ? '' : `,"skipped":${skipped}`},"cursor":"${cursor}"}`
  const bytes = Buffer.allocUnsafe(rendered.length + end.length)
  bytes.set(rendered)
  bytes.write(end, rendered.length, 'latin1')
  return bytes
}

function writeRecordValue(rendering: Rendering, table: MessageTable, value: Uint8Array): void {
  const { reader, slots, out } = rendering
  const start = out.length
  reader.bytes = value
  slots.reset()
  try {
    writeMessage(rendering, table, 0, value.length)
  } catch (error) {
    if (!(error instanceof MalformedMessageError)) throw error
    out.length = start
    if (rendering.ordered) {
      // Producers of this topic use another field order.
      rendering.ordered = false
      writeRecordValue(rendering, table, value)
    } else writeFailure(rendering, 'decode_failed', value)
  }
}

function writeFailure({ out }: Rendering, code: 'decode_failed' | 'produce_failed', raw: Uint8Array | null): void {
  out.ascii(`null,"error":{"code":"${code}"}`)
  if (!raw) return
  out.ascii(',"raw":')
  writeBytes(out, raw, 0, raw.length, 'base64')
}

function writeNumberMember(out: JsonWriter, name: JsonLiteral, value: number | undefined): void {
  out.literal(name)
  if (value === undefined) out.ascii('null')
  else {
    out.byte(quote)
    writeUnsigned(out, value)
    out.byte(quote)
  }
}

const members = {
  seq: createLiteral(',"seq":'),
  unit: createLiteral(',"unit":'),
  offset: createLiteral(',"offset":'),
  time: createLiteral(',"time":'),
  key: createLiteral(',"key":'),
  append: createLiteral(',"op":"append"'),
  revert: createLiteral(',"op":"revert"'),
  reverts: createLiteral(',"reverts":'),
  value: createLiteral(',"value":'),
  cursor: createLiteral(',"cursor":"'),
  end: createLiteral('"}'),
}

const quote = 0x22

type KeyWriter = (out: JsonWriter, key: Uint8Array | null) => void

/** Keys that do not match the field are written as bytes. */
function createKeyWriter(field: DescField | undefined, bytes: BytesForm): KeyWriter {
  const json = field?.scalar === undefined ? 'bytes' : scalarForms[field.scalar].json
  return (out, key) => {
    if (!key) out.ascii('null')
    else if (json === 'string' && isUtf8(key)) writeText(out, key, 0, key.length)
    else if (json !== 'string' && json !== 'bytes' && key.length === 8) {
      const view = new DataView(key.buffer, key.byteOffset, 8)
      out.ascii(`"${json.startsWith('u') ? view.getBigUint64(0) : view.getBigInt64(0)}"`)
    } else writeBytes(out, key, 0, key.length, bytes)
  }
}
