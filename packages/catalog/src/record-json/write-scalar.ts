import { ScalarType } from '@bufbuild/protobuf'
import type { WireReader } from '../wire/wire-reader.ts'
import type { JsonWriter } from './json-writer.ts'
import { enumType, type FieldTable } from './message-table.ts'
import { writeDouble, writeInteger, writeSigned64, writeUnsigned, writeUnsigned64 } from './write-number.ts'

/** As in ProtoJSON. */
export function writeScalar(out: JsonWriter, reader: WireReader, field: FieldTable): void {
  switch (field.type) {
    case ScalarType.DOUBLE:
      writeDouble(out, reader.double())
      break
    case ScalarType.FLOAT:
      writeDouble(out, reader.float())
      break
    case ScalarType.INT32:
      writeInteger(out, reader.varint32() | 0)
      break
    case ScalarType.UINT32:
      writeUnsigned(out, reader.varint32())
      break
    case ScalarType.SINT32: {
      const value = reader.varint32()
      writeInteger(out, (value >>> 1) ^ -(value & 1))
      break
    }
    case ScalarType.FIXED32:
      writeUnsigned(out, reader.fixed32())
      break
    case ScalarType.SFIXED32:
      writeInteger(out, reader.fixed32() | 0)
      break
    case ScalarType.BOOL:
      reader.varint64()
      out.ascii(reader.low === 0 && reader.high === 0 ? 'false' : 'true')
      break
    case enumType:
      writeEnum(out, reader.varint32() | 0, field)
      break
    default:
      writeLong(out, reader, field.type)
  }
}

function writeLong(out: JsonWriter, reader: WireReader, type: FieldTable['type']): void {
  if (type === ScalarType.FIXED64 || type === ScalarType.SFIXED64) reader.fixed64()
  else reader.varint64()
  if (type === ScalarType.SINT64) reader.zigzag64()
  out.byte(quote)
  if (type === ScalarType.UINT64 || type === ScalarType.FIXED64) writeUnsigned64(out, reader.low, reader.high)
  else writeSigned64(out, reader.low, reader.high)
  out.byte(quote)
}

function writeEnum(out: JsonWriter, value: number, { enumNames }: FieldTable): void {
  const name = enumNames?.get(value)
  if (name) out.literal(name)
  else if (enumNames) writeInteger(out, value)
  else out.ascii('null')
}

const quote = 0x22
