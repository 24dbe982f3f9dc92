import { braces, brackets, comma, createLiteral, type JsonLiteral } from '../record-json/json-writer.ts'
import { writeDouble } from '../record-json/write-number.ts'
import { writeText } from '../record-json/write-text.ts'
import type { BytesForm } from '../schema/scalar-forms.ts'
import { depthLimit, MalformedMessageError } from '../wire/wire-reader.ts'
import { type AvroEnum, type AvroRecord, type AvroType, isNamed, nameOf } from './avro-schema.ts'
import type { AvroSource } from './avro-source.ts'
import { defaultJson } from './default-json.ts'
import { writeBinary, writeInteger } from './write-logical.ts'

/** Reads one value, and writes its JSON. Throws a `MalformedMessageError`. */
export type WriteAvro = (source: AvroSource, depth: number) => void

/** The schema of a writer cannot be resolved to that of a reader. */
export class UnresolvableError extends Error {}

/**
 * Resolves the schema that values are written with to the one that they are read with, as the specification of Avro says.
 *
 * @throws {UnresolvableError}
 */
export function createAvroWriter(
  written: AvroType,
  read: AvroType,
  options: { readonly bytes: BytesForm; readonly quotesLongs: boolean },
): WriteAvro {
  /** Records are recursive. */
  const records = new Map<AvroType, Map<AvroType, WriteAvro>>()
  return resolve(written, read)

  function resolve(writer: AvroType, reader: AvroType): WriteAvro {
    if (writer.kind === 'union') return fromUnion(writer.branches, reader)
    if (reader.kind === 'union') return toUnion(writer, reader.branches)
    if (writer.kind === 'record' && reader.kind === 'record') return record(writer, reader)
    if (writer.kind === 'enum' && reader.kind === 'enum') return enumeration(writer, reader)
    if (writer.kind === 'array' && reader.kind === 'array') return array(resolve(writer.items, reader.items))
    if (writer.kind === 'map' && reader.kind === 'map') return map(resolve(writer.values, reader.values))
    if (writer.kind === 'fixed' && reader.kind === 'fixed' && writer.size === reader.size) {
      const logical = writer.logical ?? reader.logical
      return (source) => writeBinary(source, writer, logical)
    }
    return primitive(writer, reader)
  }

  function fromUnion(branches: readonly AvroType[], reader: AvroType): WriteAvro {
    const writers = branches.map((branch): WriteAvro => {
      try {
        return resolve(branch, reader)
      } catch (error) {
        if (!(error instanceof UnresolvableError) || branches.length === 1) throw error
        // Values of the other branches can be read.
        return () => {
          throw new MalformedMessageError(error.message)
        }
      }
    })
    return (source, depth) => {
      const index = source.safeLong()
      const write = writers[index]
      if (!write) throw new MalformedMessageError(`a union has no branch ${index}`)
      write(source, depth)
    }
  }

  /** The branch that is the same type, or else the first that the value can be read as. */
  function toUnion(writer: AvroType, branches: readonly AvroType[]): WriteAvro {
    const same = branches.filter((branch) => isSame(writer, branch))
    for (const branch of [...same, ...branches])
      try {
        return resolve(writer, branch)
      } catch (error) {
        if (!(error instanceof UnresolvableError)) throw error
      }
    throw new UnresolvableError(`${nameOf(writer)} is no branch of the union`)
  }

  function record(writer: AvroRecord, reader: AvroRecord): WriteAvro {
    const byReader = records.get(writer) ?? new Map<AvroType, WriteAvro>()
    records.set(writer, byReader)
    const known = byReader.get(reader)
    if (known) return known
    if (!hasName(writer, reader)) throw unresolvable(writer, reader)
    let write: WriteAvro | undefined
    byReader.set(reader, (source, depth) => write!(source, depth))
    try {
      write = recordWriter(writer, reader)
    } catch (error) {
      byReader.delete(reader)
      throw error
    }
    return write
  }

  function recordWriter(writer: AvroRecord, reader: AvroRecord): WriteAvro {
    const found = new Set<string>()
    const steps = writer.fields.map((field) => {
      const target = reader.fields.find(({ name, aliases }) => name === field.name || aliases.includes(field.name))
      if (!target) return { name: undefined, write: resolve(field.type, field.type) }
      found.add(target.name)
      return { name: memberName(target.name), write: resolve(field.type, target.type) }
    })
    const defaults = reader.fields
      .filter(({ name }) => !found.has(name))
      .map(({ name, type, default: value }) => {
        if (!value) throw new UnresolvableError(`the field ${name} was not written, and has no default`)
        return createLiteral(`,${JSON.stringify(name)}:${defaultJson(type, value.value, options)}`)
      })
    return (source, depth) => {
      if (depth > depthLimit) throw new MalformedMessageError(`records are nested more than ${depthLimit} deep`)
      const { out } = source
      const first = out.length
      for (const { name, write } of steps) {
        const start = out.length
        if (name) out.literal(name)
        write(source, depth + 1)
        if (!name) out.length = start
      }
      for (const literal of defaults) out.literal(literal)
      out.enclose(first, braces)
    }
  }

  function memberName(name: string): JsonLiteral {
    return createLiteral(`,${JSON.stringify(name)}:`)
  }
}

function enumeration(writer: AvroEnum, reader: AvroEnum): WriteAvro {
  if (!hasName(writer, reader)) throw unresolvable(writer, reader)
  const literals = writer.symbols.map((symbol) => {
    const known = reader.symbols.includes(symbol) ? symbol : reader.default
    return known === undefined ? undefined : createLiteral(JSON.stringify(known))
  })
  return (source) => {
    const index = source.safeLong()
    const literal = literals[index]
    if (!literal)
      throw new MalformedMessageError(`the enum ${reader.name} has no symbol ${writer.symbols[index] ?? index}`)
    source.out.literal(literal)
  }
}

function array(writeItem: WriteAvro): WriteAvro {
  return (source, depth) => {
    if (depth > depthLimit) throw new MalformedMessageError(`arrays are nested more than ${depthLimit} deep`)
    const { out } = source
    const first = out.length
    source.items(() => {
      out.byte(comma)
      writeItem(source, depth + 1)
    })
    out.enclose(first, brackets)
  }
}

function map(writeValue: WriteAvro): WriteAvro {
  return (source, depth) => {
    if (depth > depthLimit) throw new MalformedMessageError(`maps are nested more than ${depthLimit} deep`)
    const { out } = source
    const first = out.length
    source.items(() => {
      out.byte(comma)
      writeString(source)
      out.byte(colon)
      writeValue(source, depth + 1)
    })
    out.enclose(first, braces)
  }
}

function writeString(source: AvroSource): void {
  const end = source.lengthEnd()
  writeText(source.out, source.reader.bytes, source.reader.at, end)
  source.reader.at = end
}

/** Numbers may be read as wider ones, and text as bytes. */
function primitive(writer: AvroType, reader: AvroType): WriteAvro {
  const logical = 'logical' in reader ? reader.logical : undefined
  const writerLogical = 'logical' in writer ? writer.logical : undefined
  const pair = `${writer.kind} ${reader.kind}`
  switch (pair) {
    case 'null null':
      return ({ out }) => out.ascii('null')
    case 'boolean boolean':
      return (source) => source.out.ascii(readBoolean(source) ? 'true' : 'false')
    case 'int int':
      return (source) => writeInteger(source, 'int', logical)
    case 'int long':
    case 'long long':
      // Both are the same varint.
      return (source) => writeInteger(source, 'long', writerLogical ?? logical)
    case 'int float':
    case 'int double':
      return (source) => writeDouble(source.out, source.int())
    case 'long float':
    case 'long double':
      return (source) => {
        source.long()
        const { high, low } = source.reader
        writeDouble(source.out, (high | 0) * 0x1_0000_0000 + low)
      }
    case 'float float':
    case 'float double':
      return (source) => writeDouble(source.out, source.reader.float())
    case 'double double':
      return (source) => writeDouble(source.out, source.reader.double())
    case 'string string':
    case 'bytes string':
      return writeString
    case 'bytes bytes':
      return (source) => writeBinary(source, { kind: 'bytes' }, writerLogical ?? logical)
    case 'string bytes':
      return (source) => writeBinary(source, { kind: 'bytes' }, undefined)
    default:
      throw unresolvable(writer, reader)
  }
}

function readBoolean(source: AvroSource): boolean {
  const { reader } = source
  const end = source.endAfter(1)
  const byte = reader.bytes[reader.at]!
  if (byte > 1) throw new MalformedMessageError(`a boolean is ${byte}`)
  reader.at = end
  return byte === 1
}

function isSame(writer: AvroType, reader: AvroType): boolean {
  if (writer.kind !== reader.kind) return false
  return !isNamed(writer) || !isNamed(reader) || writer.name === reader.name
}

/** As the specification says, without the namespace. */
function hasName(writer: AvroRecord | AvroEnum, reader: AvroRecord | AvroEnum): boolean {
  return unqualified(writer.name) === unqualified(reader.name) || reader.aliases.includes(writer.name)
}

function unqualified(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function unresolvable(writer: AvroType, reader: AvroType): UnresolvableError {
  return new UnresolvableError(`${nameOf(writer)} cannot be read as ${nameOf(reader)}`)
}

const colon = 0x3a
