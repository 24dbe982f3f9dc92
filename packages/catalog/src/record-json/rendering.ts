import { MalformedMessageError, type WireReader } from '../wire/wire-reader.ts'
import type { FieldSlots } from './field-slots.ts'
import type { JsonWriter } from './json-writer.ts'
import type { FieldTable, MessageTable } from './message-table.ts'

/** What is needed to render messages. Used for one message at a time. */
export interface Rendering {
  readonly reader: WireReader
  readonly out: JsonWriter
  readonly slots: FieldSlots
  readonly bytes: 'hex' | 'base64'
  /** Whether messages are assumed to have their fields in order, and rendered in the pass that reads them. */
  ordered: boolean
  readonly writers: NestedWriters
  /** The table of a message by its full name, for `google.protobuf.Any`. */
  tableOf(typeName: string): MessageTable | undefined
}

/** The functions of `write-message.ts` that maps and well-known types call: handed over, so that no import is circular. */
export interface NestedWriters {
  writeMessage(rendering: Rendering, table: MessageTable, start: number, end: number, depth: number): void
  writeMembers(rendering: Rendering, table: MessageTable, base: number, depth: number): void
  writeField(rendering: Rendering, field: FieldTable, slot: number, depth: number): void
}

/** Thrown where fields are not in order: the whole message must be scanned first, since a later field replaces an earlier. */
export const outOfOrder: MalformedMessageError = new MalformedMessageError('the fields are not in order')
