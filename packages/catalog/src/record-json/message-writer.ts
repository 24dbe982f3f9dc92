import type { DescMessage } from '@bufbuild/protobuf'
import type { BytesForm } from '../schema/scalar-forms.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { MalformedMessageError, WireReader } from '../wire/wire-reader.ts'
import { FieldSlots } from './field-slots.ts'
import type { JsonWriter } from './json-writer.ts'
import { createMessageTables, withOnly } from './message-table.ts'
import { createMessageReader } from './read-message.ts'
import type { Rendering } from './rendering.ts'
import { asBuffer } from './write-bytes.ts'
import { nestedWriters, writeMessage } from './write-message.ts'

export interface MessageWriterOptions {
  readonly schema: SchemaSet
  readonly message: DescMessage
  readonly bytes: BytesForm
  /** Other fields are skipped, and not checked. Default: all. */
  readonly fields?: readonly string[] | undefined
}

/** Of messages, from an offset on. The methods throw a `MalformedMessageError`. */
export interface MessageWriter {
  /** A message with an error is written in part. */
  write(value: Uint8Array, start: number): void
  /** What `JSON.parse` makes of the written message. What `out` contains is replaced. */
  read(value: Uint8Array, start: number): unknown
}

export function createMessageWriter(
  out: JsonWriter,
  { schema, message, bytes, fields }: MessageWriterOptions,
): MessageWriter {
  const tableOf = createMessageTables(bytes)
  const table = fields ? withOnly(tableOf(message), indexesOf(fields, message)) : tableOf(message)
  const reader = new WireReader()
  const slots = new FieldSlots()
  const rendering: Rendering = {
    reader,
    out,
    slots,
    bytes,
    ordered: true,
    ...nestedWriters,
    tableOf(typeName) {
      const contained = schema.message(typeName)
      return contained && tableOf(contained)
    },
  }
  const readObject = createMessageReader(table)

  function write(value: Uint8Array, start: number): void {
    const first = out.length
    reader.bytes = value
    slots.reset()
    try {
      writeMessage(rendering, table, start, value.length)
    } catch (error) {
      if (!(error instanceof MalformedMessageError) || !rendering.ordered) throw error
      // Producers of this topic use another field order.
      rendering.ordered = false
      out.length = first
      write(value, start)
    }
  }

  function read(value: Uint8Array, start: number): unknown {
    if (readObject && rendering.ordered) {
      reader.bytes = asBuffer(value)
      slots.reset()
      try {
        return readObject(rendering, start)
      } catch (error) {
        if (!(error instanceof MalformedMessageError)) throw error
      }
    }
    out.reset()
    write(value, start)
    return out.parse()
  }

  return { write, read }
}

function indexesOf(fields: readonly string[], message: DescMessage): Set<number> {
  return new Set(fields.map((name) => message.fields.findIndex((field) => field.name === name)))
}
