import type { QueueRecord } from '@headrace/queue'
import { headerKeys, type RecordHeaders, readRecordHeaders } from '../record-header/record-header.ts'
import { empty, type MessageParent, type Scope, type Source, unreadable } from './source.ts'

/** Returns the offset of the message in a value, or throws a `MalformedMessageError`. */
export type MessageIn = (record: QueueRecord, value: Uint8Array) => number

/** The record that is filtered. Its only place is that of its value. */
export class RecordSource implements MessageParent {
  readonly scope: Scope = { depth: 0, generation: 0 }
  bytes: Uint8Array = empty
  readonly places: Int32Array = new Int32Array(2)
  readonly merged: readonly Uint8Array[] = []
  #record: QueueRecord | undefined
  #headers: RecordHeaders | undefined
  readonly #messageIn: MessageIn | undefined

  constructor(messageIn?: MessageIn) {
    this.#messageIn = messageIn
  }

  get record(): QueueRecord {
    return this.#record!
  }

  get headers(): RecordHeaders {
    this.#headers ??= readRecordHeaders(this.record.headers)
    return this.#headers
  }

  /** `undefined` when nothing more is read from the record. */
  set(record: QueueRecord | undefined): void {
    this.scope.generation++
    this.#record = record
    this.#headers = undefined
    this.bytes = record?.value ?? empty
    this.places[0] = 1
    this.places[1] = this.bytes.length
  }

  load(): void {
    const { value, headers } = this.record
    if (value === null) throw unreadable
    for (const { key } of headers) if (key === headerKeys.error) throw unreadable
    if (this.#messageIn) this.places[0] = this.#messageIn(this.record, value) + 1
  }
}

/** The key of the record. Its only place is 0 if there is none. */
export class KeySource implements Source {
  readonly scope: Scope
  bytes: Uint8Array = empty
  readonly places: Int32Array = new Int32Array(2)
  readonly #record: RecordSource

  constructor(record: RecordSource) {
    this.scope = record.scope
    this.#record = record
  }

  load(): void {
    const { key } = this.#record.record
    this.bytes = key ?? empty
    this.places[0] = key ? 1 : 0
    this.places[1] = this.bytes.length
  }
}
