import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { EmptySchema } from '@bufbuild/protobuf/wkt'
import type { KeyForm } from '../record-json/key-form.ts'
import { messageForm } from '../record-json/message-form.ts'
import { createMessageTables, type FieldTable, type MessageTable } from '../record-json/message-table.ts'
import { type BytesForm, scalarForms, scalarName } from '../schema/scalar-forms.ts'
import { WireReader } from '../wire/wire-reader.ts'
import { documentTerm, type ReadDocument } from './document.ts'
import { type Read, readExact, readScalar, readTimestamp, rememberedRead } from './operand.ts'
import { createRecordNames } from './record-names.ts'
import { type MessageIn, RecordSource } from './record-source.ts'
import { type MessageParent, MessageSource } from './source.ts'
import type { MessagePlace, MessageTerm, Operand, Term } from './term.ts'

/** The values of the records of a topic, of one record at a time. Shared by all filters of the topic. */
export interface TopicTerms {
  readonly record: RecordSource
  readonly reader: WireReader
  readonly bytes: BytesForm
  readonly message: DescMessage
  /** `value`, `key`, `time`, `op` and `unit`. */
  readonly names: ReadonlyMap<string, Term>
  member(of: MessageTerm, field: DescField): Term
  /** An item of a list, or the value of an entry of a map. */
  single(place: MessagePlace, desc: DescField, field: FieldTable): Term
  scalar(place: MessagePlace, desc: Pick<DescField, 'enum' | 'scalar'>, field: FieldTable): Operand
  sourceOf(place: MessagePlace, table: MessageTable): MessageSource
}

export interface TopicTermsOptions {
  readonly message: DescMessage
  readonly keyForm: KeyForm
  readonly bytes: BytesForm
  /** Where the message is in the value of a record. Default: it is the value. */
  readonly messageIn?: MessageIn | undefined
}

export function createTopicTerms({ message, keyForm, bytes, messageIn }: TopicTermsOptions): TopicTerms {
  const reader = new WireReader()
  const record = new RecordSource(messageIn)
  const tableOf = createMessageTables(bytes)
  const sources = new WeakMap<MessageParent, Map<number, MessageSource>>()
  const members = new WeakMap<MessageSource, Map<DescField, Term>>()

  function sourceOf({ source, slot }: MessagePlace, table: MessageTable): MessageSource {
    const known = sources.get(source) ?? new Map<number, MessageSource>()
    sources.set(source, known)
    const existing = known.get(slot)
    if (existing) return existing
    const created = new MessageSource(source, slot, table, reader)
    known.set(slot, created)
    return created
  }

  /** Kept, so that a field is read once for all filters. */
  function member(of: MessageTerm, desc: DescField): Term {
    const source = sourceOf(of, of.table)
    const known = members.get(source) ?? new Map<DescField, Term>()
    members.set(source, known)
    const term = known.get(desc) ?? createMember(of, desc, source)
    known.set(desc, term)
    return term
  }

  function createMember(of: MessageTerm, desc: DescField, source: MessageSource): Term {
    const index = of.desc.fields.indexOf(desc)
    const field = of.table.fields[index]!
    const place = { source, slot: source.slotOf(index), id: of.id && `${of.id}.${desc.number}` }
    if (desc.fieldKind === 'list' || desc.fieldKind === 'map') return { kind: desc.fieldKind, ...place, desc, field }
    const term = single(place, desc, field)
    if (term.kind !== 'operand') return term
    const operand = isWrapper(desc) ? nullable(term, place) : withExact(term, of, desc)
    // Text and bytes are compared in place.
    return operand.place ? operand : { ...operand, read: rememberedRead(operand.read, operand.scope) }
  }

  /** `AmountExact` has the number that does not fit in `Amount`. */
  function withExact(operand: Operand, of: MessageTerm, { name, scalar }: DescField): Operand {
    if (scalar !== ScalarType.UINT64 && scalar !== ScalarType.FIXED64) return operand
    const exact = of.desc.fields.find((other) => other.name === `${name}Exact` && other.fieldKind === 'scalar')
    if (exact?.scalar !== ScalarType.BYTES) return operand
    const { read } = member(of, exact) as Operand
    return { ...operand, read: readExact(operand.read, read) }
  }

  function single(place: MessagePlace, desc: DescField, field: FieldTable): Term {
    if (desc.message) return singleMessage(place, desc.message)
    return scalar(place, desc, field)
  }

  function singleMessage(place: MessagePlace, desc: DescMessage): Term {
    const form = messageForm(desc)
    const table = tableOf(desc)
    if (form === 'fields') return { kind: 'message', ...place, desc, table }
    if (form !== 'timestamp' && form !== 'wrapper') return { kind: 'opaque', name: desc.name }
    const source = sourceOf(place, table)
    if (form === 'wrapper')
      return scalar({ source, slot: source.slotOf(0), id: place.id }, desc.fields[0]!, table.fields[0]!)
    const type = { kind: 'time', name: 'a Timestamp', nullable: false, rank: 1 } as const
    return {
      kind: 'operand',
      type,
      scope: source.scope,
      read: readTimestamp(source, [source.slotOf(0), source.slotOf(1)], reader),
      id: place.id,
    }
  }

  function scalar(place: MessagePlace, desc: Pick<DescField, 'enum' | 'scalar'>, field: FieldTable): Operand {
    const { source, id } = place
    const read = readScalar(place, field, reader)
    const common = { kind: 'operand', scope: source.scope, read, id } as const
    if (desc.enum)
      return {
        ...common,
        type: { kind: 'number', name: `the enum ${desc.enum.name}`, nullable: false, enum: desc.enum, rank: 1 },
      }
    const { json } = scalarForms[desc.scalar!]
    const name = scalarName(desc.scalar!)
    switch (json) {
      case 'bool':
        return { ...common, type: { kind: 'bool', name: 'a bool', nullable: false, rank: 0 } }
      case 'string':
        return { ...common, place, type: { kind: 'text', name: 'a string', nullable: false, rank: 3 } }
      case 'bytes':
        return { ...common, place, type: { kind: 'bytes', name: 'bytes', nullable: false, rank: 3 } }
      default:
        return {
          ...common,
          type: { kind: 'number', name: `a number (${name})`, nullable: false, rank: json.endsWith('64') ? 3 : 2 },
        }
    }
  }

  const value = singleMessage({ source: record, slot: 0, id: 'value' }, message)
  const names = new Map<string, Term>([['value', value], ...createRecordNames(record, keyForm)])
  return { record, reader, bytes, message, names, member, single, scalar, sourceOf }
}

/** Of a topic whose values are JSON, or are read as such. */
export function createDocumentTerms(options: Omit<TopicTermsOptions, 'message'>, read: ReadDocument): TopicTerms {
  // A document has no message: this one has no fields.
  const terms = createTopicTerms({ ...options, message: EmptySchema })
  return { ...terms, names: new Map([...terms.names, ['value', documentTerm(terms.record, read)]]) }
}

function isWrapper(field: DescField): boolean {
  return field.message !== undefined && messageForm(field.message) === 'wrapper'
}

/** A wrapper that is not set is null. */
function nullable({ read, ...operand }: Operand, { source, slot }: MessagePlace): Operand {
  const readSet: Read = () => {
    source.load()
    return source.places[slot] === 0 ? null : read()
  }
  return { ...operand, type: { ...operand.type, nullable: true }, read: readSet }
}
