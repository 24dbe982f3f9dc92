import type { QueueRecord } from '@headrace/queue'
import { createCursorWriter } from '../position/cursor-writer.ts'
import { placeAfter } from '../position/reader-position.ts'
import { type RecordHeaders, readRecordHeaders } from '../record-header/record-header.ts'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import { createLiteral, type JsonLiteral, type JsonWriter } from './json-writer.ts'
import { type KeyForm, writeKey } from './key-form.ts'
import { writeBytes } from './write-bytes.ts'
import { writeUnsigned } from './write-number.ts'
import { writeRecordTime } from './write-time.ts'

export interface RecordRenderer {
  /**
   * Without the cursor and the closing brace, which `withCursor` adds. The caller owns the bytes. A value that is not of
   * the schema gives a record with an `error`.
   */
  render(record: QueueRecord): Uint8Array
  renderWhole(record: QueueRecord): WholeRecord
  /**
   * What `JSON.parse` makes of the rendered record, without a cursor.
   *
   * @param headers - Those of the record, if they have been read already.
   */
  read(record: QueueRecord, headers?: RecordHeaders): RecordObject
}

export interface RecordObject {
  readonly topic: string
  readonly partition: number
  readonly seq: string | null
  readonly unit: string | null
  readonly offset: string
  readonly time: string
  readonly key: string | null
  readonly op: 'append' | 'revert'
  readonly reverts?: string
  readonly value: unknown
  readonly error?: ValueError
  readonly raw?: string
}

export interface WholeRecord {
  /** The caller owns the bytes. */
  readonly json: Uint8Array
  /** `null` if a foreign producer wrote the record. */
  readonly seq: number | null
  /** In bytes. */
  readonly cursorLength: number
}

export interface EnvelopeOptions {
  /** What all parts of a record are written to. */
  readonly out: JsonWriter
  readonly topic: string
  readonly keyForm: KeyForm
  readonly bytes: BytesForm
  /** As `RecordRendererOptions.cursorsOf`. */
  readonly cursorsOf: string | undefined
  /** May throw a `MalformedMessageError` after writing a part: its message is shown to readers. */
  writeValue(record: QueueRecord, value: Uint8Array): void
  /** What `JSON.parse` makes of what `writeValue` writes. Default: just that. */
  readValue?(record: QueueRecord, value: Uint8Array): unknown
}

/** Writes all members of a record around its value, which is the only one that depends on the format of the topic. */
export function createEnvelope(options: EnvelopeOptions): RecordRenderer {
  const { out, topic, keyForm, bytes, cursorsOf, writeValue } = options
  const writeCursor = cursorsOf === undefined ? undefined : createCursorWriter(cursorsOf, topic)
  const prefix = createLiteral(`{"topic":${JSON.stringify(topic)},"partition":`)
  let lastTime = { ms: 0, text: timeText(0) }
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
    read(record, headers = readRecordHeaders(record.headers)) {
      const { partition, offset, time, key } = record
      const { seq, unit, op, reverts, error } = headers
      if (lastTime.ms !== time) lastTime = { ms: time, text: timeText(time) }
      return {
        ...{ topic, partition, seq: textOf(seq), unit: textOf(unit), offset: `${offset}`, time: lastTime.text },
        key: key && (parsed(() => writeKey(out, key, keyForm, bytes)) as string),
        op,
        ...(reverts !== undefined && { reverts: `${reverts}` }),
        ...(error === undefined ? readValue(record) : failureOf({ code: 'produce_failed' }, record.value)),
      }
    },
  }

  function readValue(record: QueueRecord): Pick<RecordObject, 'value' | 'error' | 'raw'> {
    const { value } = record
    if (value === null) return { value: null }
    try {
      const { readValue } = options
      return { value: readValue ? readValue(record, value) : parsed(() => writeValue(record, value)) }
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error
      return failureOf({ code: 'decode_failed', message: error.message }, value)
    }
  }

  function timeText(time: number): string {
    return parsed(() => writeRecordTime(out, time)) as string
  }

  function parsed(write: () => void): unknown {
    out.reset()
    write()
    return out.parse()
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
    writeKey(out, record.key, keyForm, bytes)
    out.literal(headers.op === 'revert' ? members.revert : members.append)
    if (headers.reverts !== undefined) writeNumberMember(out, members.reverts, headers.reverts)
    out.literal(members.value)
    if (headers.error !== undefined) writeFailure(out, { code: 'produce_failed' }, record.value)
    else if (record.value === null) out.ascii('null')
    else writeValueOrFailure(record, record.value)
    return headers
  }

  function writeValueOrFailure(record: QueueRecord, value: Uint8Array): void {
    const start = out.length
    try {
      writeValue(record, value)
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error
      out.length = start
      writeFailure(out, { code: 'decode_failed', message: error.message }, value)
    }
  }
}

/** @param skipped - Written before the cursor. Absent: nothing is written. */
export function withCursor(rendered: Uint8Array, cursor: string, skipped?: number): Uint8Array {
  const end = `${skipped === undefined ? '' : `,"skipped":${skipped}`},"cursor":"${cursor}"}`
  const bytes = Buffer.allocUnsafe(rendered.length + end.length)
  bytes.set(rendered)
  bytes.write(end, rendered.length, 'latin1')
  return bytes
}

interface ValueError {
  readonly code: 'decode_failed' | 'produce_failed'
  readonly message?: string
}

function writeFailure(out: JsonWriter, error: ValueError, raw: Uint8Array | null): void {
  out.text(`null,"error":${JSON.stringify(error)}`)
  if (!raw) return
  out.ascii(',"raw":')
  writeBytes(out, raw, 0, raw.length, 'base64')
}

function failureOf(error: ValueError, raw: Uint8Array | null): Pick<RecordObject, 'value' | 'error' | 'raw'> {
  return { value: null, error, ...(raw && { raw: Buffer.from(raw).toString('base64') }) }
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : `${value}`
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
