import type { BytesForm } from '../schema/scalar-forms.ts'
import { MalformedMessageError, type WireReader } from '../wire/wire-reader.ts'
import type { FieldSlots } from './field-slots.ts'
import type { JsonWriter } from './json-writer.ts'
import type { FieldTable, MessageTable } from './message-table.ts'

/** Used for one message at a time. */
export interface Rendering {
  readonly reader: WireReader
  readonly out: JsonWriter
  readonly slots: FieldSlots
  readonly bytes: BytesForm
  /** Whether fields are assumed to be in order, and rendered in the pass that reads them. */
  ordered: boolean
  /** Finds the type of a message in a `google.protobuf.Any`. */
  tableOf(typeName: string): MessageTable | undefined
  // These functions are passed as members, because imports would be circular.
  writeMessage(rendering: Rendering, table: MessageTable, start: number, end: number, depth: number): void
  writeMembers(rendering: Rendering, table: MessageTable, base: number, depth: number): void
  writeField(rendering: Rendering, field: FieldTable, slot: number, depth: number): void
}

/** Ends the ordered pass. The message must be scanned first, because a later field replaces an earlier one. */
export const outOfOrder: MalformedMessageError = new MalformedMessageError('the fields are not in order')
