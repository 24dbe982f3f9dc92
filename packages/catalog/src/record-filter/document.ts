import type { QueueRecord } from '@headrace/queue'
import { isJsonObject, type Json } from './json.ts'
import type { RecordSource } from './record-source.ts'
import { type Scope, unreadable } from './source.ts'
import type { DocumentTerm, Operand } from './term.ts'

/** @throws {MalformedMessageError} the value cannot be read. */
export type ReadDocument = (record: QueueRecord, value: Uint8Array) => Json

/** The value of the current record, read once. */
export function documentTerm(source: RecordSource, read: ReadDocument): DocumentTerm {
  const { scope } = source
  const readValue = () => {
    source.load()
    return read(source.record, source.bytes)
  }
  return { kind: 'document', scope, id: 'value', get: remembered(scope, readValue) }
}

/** Fails again if it failed before. */
function remembered(scope: Scope, read: () => Json): () => Json {
  let readFor = -1
  let value: Json | undefined
  return () => {
    if (readFor !== scope.generation) {
      readFor = scope.generation
      value = undefined
      value = read()
    }
    if (value === undefined) throw unreadable
    return value
  }
}

/** A member of an object, or an item of a list. One that does not exist cannot be read. */
export function documentMember({ scope, id, get }: DocumentTerm, name: string | number): DocumentTerm {
  return {
    kind: 'document',
    scope,
    id: id && `${id}[${JSON.stringify(name)}]`,
    get() {
      const found = memberOf(get(), name)
      if (found === undefined) throw unreadable
      return found
    },
  }
}

function memberOf(value: Json, name: string | number): Json | undefined {
  if (typeof name === 'number') return Array.isArray(value) ? value[name] : undefined
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
  return value[name]
}

/** An object or a list cannot be compared. */
export function documentOperand({ scope, id, get }: DocumentTerm): Operand {
  return {
    ...{ kind: 'operand', scope, id },
    type: { kind: 'text', name: 'a JSON value', nullable: true, rank: 3 },
    read() {
      const value = get()
      if (typeof value === 'string') return Buffer.from(value)
      if (typeof value === 'object' && value !== null) throw unreadable
      return value
    },
  }
}

/** Of text, whatever it is compared with. */
export function documentText(document: DocumentTerm): Operand {
  const { read } = documentOperand(document)
  return {
    ...documentOperand(document),
    type: { kind: 'text', name: 'a JSON value', nullable: false, rank: 3 },
    read() {
      const value = read()
      if (!(value instanceof Uint8Array)) throw unreadable
      return value
    },
  }
}

/** Characters of a text, items of a list, members of an object. */
export function documentSize({ scope, get }: DocumentTerm): Operand {
  return {
    ...{ kind: 'operand', scope, id: undefined },
    type: { kind: 'number', name: 'a number', nullable: false, rank: 0 },
    read() {
      const value = get()
      if (typeof value === 'string') return [...value].length
      if (typeof value !== 'object' || value === null) throw unreadable
      return Array.isArray(value) ? value.length : Object.keys(value).length
    },
  }
}

export interface DocumentItems {
  readonly item: DocumentTerm
  start(): void
  next(): boolean
}

/** The items of a list, one at a time. */
export function documentItems({ get }: DocumentTerm, depth: number): DocumentItems {
  const scope: Scope = { depth, generation: 0 }
  let list: readonly Json[] = []
  let at = -1
  return {
    item: { kind: 'document', scope, id: undefined, get: () => list[at]! },
    start() {
      const value = get()
      if (!Array.isArray(value)) throw unreadable
      list = value
      at = -1
    },
    next() {
      scope.generation++
      return ++at < list.length
    },
  }
}
