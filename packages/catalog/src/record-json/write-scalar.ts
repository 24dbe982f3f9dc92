import { ScalarType } from '@bufbuild/protobuf'
import type { WireReader } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import { enumType, type FieldTable } from './message-table.ts'
import { writeDouble, writeInteger, writeSigned64, writeUnsigned, writeUnsigned64 } from './write-number.ts'

/** Reads a number, bool or enum value and writes it as ProtoJSON does. */
export function writeScalar(out: JsonWriter, reader: WireReader, field: FieldTable): void {
  switch (field.type) {
    case ScalarType.DOUBLE:
      return writeDouble(out, reader.double())
    case ScalarType.FLOAT:
      return writeDouble(out, reader.float())
    case ScalarType.INT32:
      return writeInteger(out, reader.varint32() | 0)
    case ScalarType.UINT32:
      return writeUnsigned(out, reader.varint32())
    case ScalarType.SINT32: {
      const value = reader.varint32()
      return writeInteger(out, (value >>> 1) ^ -(value & 1))
    }
    case ScalarType.FIXED32:
      return writeUnsigned(out, reader.fixed32())
    case ScalarType.SFIXED32:
      return writeInteger(out, reader.fixed32() | 0)
    case ScalarType.BOOL:
      reader.varint64()
      return out.ascii(reader.low === 0 && reader.high === 0 ? 'false' : 'true')
    case enumType:
      return writeEnum(out, reader.varint32() | 0, field)
    default:
      return writeLong(out, reader, field.type)
  }
}

/** 64-bit integers are strings in ProtoJSON: many readers keep numbers as doubles. */
function writeLong(out: JsonWriter, reader: WireReader, type: FieldTable['type']): void {
  out.byte(quote)
  switch (type) {
    case ScalarType.INT64:
      reader.varint64()
      writeSigned64(out, reader.low, reader.high)
      break
    case ScalarType.UINT64:
      reader.varint64()
      writeUnsigned64(out, reader.low, reader.high)
      break
    case ScalarType.SINT64:
      reader.varint64()
      reader.zigzag64()
      writeSigned64(out, reader.low, reader.high)
      break
    case ScalarType.FIXED64:
      reader.fixed64()
      writeUnsigned64(out, reader.low, reader.high)
      break
    default:
      reader.fixed64()
      writeSigned64(out, reader.low, reader.high)
  }
  out.byte(quote)
}

/** A number that the schema does not name stays a number. */
function writeEnum(out: JsonWriter, value: number, { enumNames }: FieldTable): void {
  const name = enumNames?.get(value)
  if (name) out.raw(name)
  else if (enumNames) writeInteger(out, value)
  else out.ascii('null')
}

const quote = 0x22
