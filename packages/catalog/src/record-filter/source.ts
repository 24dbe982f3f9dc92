import { FieldSlots } from '../record-json/field-slots.ts'
import { type FieldTable, hasWireType, type MessageTable } from '../record-json/message-table.ts'
import { MalformedMessageError, type WireReader, wireTypes } from '../wire/wire-reader.ts'
import { createPartialTable, type PartialTable } from './partial-table.ts'

export const empty: Uint8Array = new Uint8Array(0)
/** Thrown repeatedly, because the trace of a new error takes longer than many filters. */
export const unreadable: MalformedMessageError = new MalformedMessageError('the value cannot be read')

/** What a condition depends on: the record, or the variable of an `exists`. */
export interface Scope {
  /** 0: the record. */
  readonly depth: number
  /** Changes with each record or item. */
  generation: number
}

/**
 * Places of values in bytes. The place of a value is two numbers, as in `FieldSlots`: 0 or its offset + 1, and its end.
 * Both are of the current record or item after `load`.
 */
export interface Source {
  readonly scope: Scope
  readonly bytes: Uint8Array
  readonly places: Int32Array
  /** @throws {MalformedMessageError} there is no value, or it cannot be read. */
  load(): void
}

/** A source of messages. */
export interface MessageParent extends Source {
  /** Those that occurred in several parts, as in `FieldSlots`. */
  readonly merged: readonly Uint8Array[]
}

export interface Place {
  readonly source: Source
  readonly slot: number
}

/** The fields of a message in a field of another source. Absent: all its fields are absent. */
export class MessageSource implements Source {
  readonly scope: Scope
  bytes: Uint8Array = empty
  readonly #parent: MessageParent
  readonly #slot: number
  readonly #table: PartialTable
  readonly #reader: WireReader
  readonly #slots = new FieldSlots(16)
  #loadedFor = -1
  #isBroken = false

  constructor(parent: MessageParent, slot: number, table: MessageTable, reader: WireReader) {
    this.scope = parent.scope
    this.#parent = parent
    this.#slot = slot
    this.#table = createPartialTable(table)
    this.#reader = reader
  }

  /** Of a field, which is read from the next record on. */
  slotOf(index: number): number {
    return this.#table.indexOf(index) * 2
  }

  get places(): Int32Array {
    return this.#slots.places
  }

  get merged(): readonly Uint8Array[] {
    return this.#slots.merged
  }

  load(): void {
    const { generation } = this.scope
    if (this.#loadedFor === generation) {
      if (this.#isBroken) throw unreadable
      return
    }
    this.#loadedFor = generation
    this.#isBroken = true
    this.#parent.load()
    const place = this.#parent.places[this.#slot]!
    const end = this.#parent.places[this.#slot + 1]!
    this.bytes = place < 0 ? this.#parent.merged[-1 - place]! : this.#parent.bytes
    this.#reader.bytes = this.bytes
    this.#slots.reset()
    this.#slots.scan(this.#reader, this.#table, Math.max(0, place - 1), place === 0 ? 0 : end, 0)
    this.#isBroken = false
  }
}

/** The items of a list, or the entries of a map, one at a time. Its only place is that of the item. */
export class ItemSource implements MessageParent {
  readonly scope: Scope
  bytes: Uint8Array = empty
  readonly places: Int32Array = new Int32Array(2)
  readonly merged: readonly Uint8Array[] = []
  readonly #list: Source
  readonly #slot: number
  readonly #field: FieldTable
  readonly #reader: WireReader
  #at = 0
  #end = 0
  #packedEnd = 0

  constructor({ source, slot }: Place, field: FieldTable, depth: number, reader: WireReader) {
    this.scope = { depth, generation: 0 }
    this.#list = source
    this.#slot = slot
    this.#field = field
    this.#reader = reader
  }

  load(): void {}

  /** Before the first item. */
  start(): void {
    this.#list.load()
    this.bytes = this.#list.bytes
    const place = this.#list.places[this.#slot]!
    this.#at = Math.max(0, place - 1)
    this.#end = place === 0 ? 0 : this.#list.places[this.#slot + 1]!
    this.#packedEnd = 0
  }

  next(): boolean {
    const reader = this.#reader
    const field = this.#field
    reader.bytes = this.bytes
    reader.at = this.#at
    while (reader.at >= this.#packedEnd) {
      if (reader.at >= this.#end) return false
      const tag = reader.varint32()
      if (tag >>> 3 !== field.number || !hasWireType(field, tag)) reader.skip(tag, this.#end, 0)
      else if (field.wireType === wireTypes.length) return this.#found(reader.valueEnd(this.#end))
      else if ((tag & 7) === wireTypes.length) this.#packedEnd = reader.valueEnd(this.#end)
      else return this.#foundNumber(this.#end)
    }
    return this.#foundNumber(this.#packedEnd)
  }

  #foundNumber(end: number): boolean {
    const { at } = this.#reader
    this.#reader.skipValue(this.#field.wireType)
    const valueEnd = this.#reader.at
    if (valueEnd > end) throw unreadable
    this.#reader.at = at
    return this.#found(valueEnd)
  }

  #found(end: number): boolean {
    this.places[0] = this.#reader.at + 1
    this.places[1] = end
    this.#at = end
    this.scope.generation++
    return true
  }
}

/** The value of the last entry of a map with a key. */
export class EntrySource implements MessageParent {
  readonly scope: Scope
  bytes: Uint8Array = empty
  merged: readonly Uint8Array[] = []
  readonly places: Int32Array = new Int32Array(2)
  readonly #entries: ItemSource
  readonly #entry: MessageSource
  readonly #isWanted: () => boolean
  #loadedFor = -1
  #isBroken = false
  #isFound = false

  /** @param isWanted - Whether the current entry has the key. */
  constructor(scope: Scope, entries: ItemSource, entry: MessageSource, isWanted: () => boolean) {
    this.scope = scope
    this.#entries = entries
    this.#entry = entry
    this.#isWanted = isWanted
  }

  /** Whether there is such an entry. */
  find(): boolean {
    const { generation } = this.scope
    if (this.#loadedFor !== generation) {
      this.#loadedFor = generation
      this.#isBroken = true
      this.#search()
      this.#isBroken = false
    } else if (this.#isBroken) throw unreadable
    return this.#isFound
  }

  load(): void {
    if (!this.find()) throw unreadable
  }

  #search(): void {
    const valueSlot = this.#entry.slotOf(1)
    this.#isFound = false
    for (this.#entries.start(); this.#entries.next(); ) {
      if (!this.#isWanted()) continue
      this.#isFound = true
      this.bytes = this.#entry.bytes
      this.merged = this.#entry.merged
      this.places[0] = this.#entry.places[valueSlot]!
      this.places[1] = this.#entry.places[valueSlot + 1]!
    }
  }
}
