import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'

/**
 * Encoded messages of a type that are valid, but that no encoder writes: fields in any order and repeated, lists packed
 * and unpacked in turn, several members of a oneof, and unknown fields between them.
 */
export function arbitraryMessage(message: DescMessage, depth = 0): fc.Arbitrary<Uint8Array> {
  const fields = message.fields.filter((field) => !field.message || depth < (field.fieldKind === 'list' ? 5 : 3))
  const fieldPieces =
    fields.length === 0
      ? []
      : [{ weight: 8, arbitrary: fc.constantFrom(...fields).chain((field) => arbitraryField(field, depth)) }]
  const piece = fc.oneof(...fieldPieces, { weight: 1, arbitrary: unknownField })
  return fc.array(piece, { maxLength: depth === 0 ? 24 : 4 }).map((pieces) => Buffer.concat(pieces))
}

function arbitraryField(field: DescField, depth: number): fc.Arbitrary<Uint8Array> {
  switch (field.fieldKind) {
    case 'message':
      return arbitraryMessage(field.message, depth + 1).map((bytes) => delimited(field.number, bytes))
    case 'scalar':
      // The value of an Any must be a message, and protobuf-es does not check the wire types of an invalid one.
      if (field.parent.typeName === 'google.protobuf.Any' && field.scalar === ScalarType.BYTES)
        return unknownField.map((bytes) => delimited(field.number, bytes))
      return arbitraryScalar(field.scalar, field.number, textOf(field))
    case 'enum':
      return arbitraryScalar(ScalarType.INT32, field.number)
    case 'list':
      if (field.listKind === 'message')
        return arbitraryMessage(field.message, depth + 1).map((bytes) => delimited(field.number, bytes))
      return arbitraryList(field.listKind === 'enum' ? ScalarType.INT32 : field.scalar, field.number, textOf(field))
    case 'map': {
      const key = arbitraryScalar(field.mapKey, 1)
      const value =
        field.mapKind === 'message'
          ? arbitraryMessage(field.message, depth + 1).map((bytes) => delimited(2, bytes))
          : arbitraryScalar(field.mapKind === 'enum' ? ScalarType.INT32 : field.scalar, 2)
      return fc
        .array(fc.oneof(key, value, unknownField), { maxLength: 4 })
        .map((pieces) => delimited(field.number, Buffer.concat(pieces)))
    }
  }
}

function arbitraryList(scalar: ScalarType, number: number, text: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const single = arbitraryScalar(scalar, number, text)
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return single
  const packed = fc
    .array(arbitraryValue(scalar, text), { maxLength: 5 })
    .map((values) => delimited(number, Buffer.concat(values.map((write) => write(new BinaryWriter()).finish()))))
  return fc.oneof(single, packed)
}

function arbitraryScalar(
  scalar: ScalarType,
  number: number,
  text: fc.Arbitrary<string> = arbitraryText,
): fc.Arbitrary<Uint8Array> {
  return arbitraryValue(scalar, text).map((write) => write(new BinaryWriter().tag(number, wireTypeOf(scalar))).finish())
}

type Write = (writer: BinaryWriter) => BinaryWriter

function arbitraryValue(scalar: ScalarType, text: fc.Arbitrary<string>): fc.Arbitrary<Write> {
  const writing = <T>(values: fc.Arbitrary<T>, write: (writer: BinaryWriter, value: T) => BinaryWriter) =>
    values.map(
      (value): Write =>
        (writer) =>
          write(writer, value),
    )
  switch (scalar) {
    case ScalarType.DOUBLE:
      return writing(doubles, (writer, value) => writer.double(value))
    case ScalarType.FLOAT:
      return writing(fc.oneof(fc.float(), fc.constantFrom(0.1, 1e20)), (writer, value) =>
        writer.float(Math.fround(value)),
      )
    case ScalarType.INT32:
      return writing(signed32, (writer, value) => writer.int32(value))
    case ScalarType.UINT32:
      return writing(unsigned32, (writer, value) => writer.uint32(value))
    case ScalarType.SINT32:
      return writing(signed32, (writer, value) => writer.sint32(value))
    case ScalarType.FIXED32:
      return writing(unsigned32, (writer, value) => writer.fixed32(value))
    case ScalarType.SFIXED32:
      return writing(signed32, (writer, value) => writer.sfixed32(value))
    case ScalarType.INT64:
      return writing(signed64, (writer, value) => writer.int64(value))
    case ScalarType.UINT64:
      return writing(unsigned64, (writer, value) => writer.uint64(value))
    case ScalarType.SINT64:
      return writing(signed64, (writer, value) => writer.sint64(value))
    case ScalarType.FIXED64:
      return writing(unsigned64, (writer, value) => writer.fixed64(value))
    case ScalarType.SFIXED64:
      return writing(signed64, (writer, value) => writer.sfixed64(value))
    case ScalarType.BOOL:
      return writing(fc.boolean(), (writer, value) => writer.bool(value))
    case ScalarType.STRING:
      return writing(text, (writer, value) => writer.string(value))
    case ScalarType.BYTES:
      return writing(fc.oneof(fc.uint8Array(), fc.uint8Array({ minLength: 60, maxLength: 80 })), (writer, value) =>
        writer.bytes(value),
      )
  }
}

/** The type of an Any is usually in the schema. The path of a mask usually has a form in camel case. */
function textOf(field: DescField): fc.Arbitrary<string> {
  if (field.parent.typeName === 'google.protobuf.Any')
    return fc.constantFrom(
      'type.googleapis.com/headrace.test.wide.Empty',
      'type.googleapis.com/headrace.test.wide.Wide.Inner',
      'type.googleapis.com/google.protobuf.Duration',
      'google.protobuf.StringValue',
      'type.googleapis.com/not.Known',
      '',
    )
  if (field.parent.typeName === 'google.protobuf.FieldMask') return fc.constantFrom('a', 'a_b.c_d', 'f.bar_baz', 'a__b')
  return arbitraryText
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish()
}

function wireTypeOf(scalar: ScalarType): WireType {
  switch (scalar) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited
    default:
      return WireType.Varint
  }
}

const arbitraryText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"\\/\b\f\n\r\t\u0000\u001f\u007f', 'ÿ€😀\u2028', 'x'.repeat(200)),
)
const doubles = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    2 ** 53 + 2,
    1e21,
    5e-324,
  ),
)
const signed32 = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(0, 1, 2, -1, -(2 ** 31), 2 ** 31 - 1),
)
const unsigned32 = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 2 ** 30, 2 ** 31, 2 ** 32 - 1))
const signed64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -100_000_000_000n, max: 100_000_000_000n }),
  fc.constantFrom(0n, -1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, -(2n ** 32n)),
)
const unsigned64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.nat().map(BigInt),
  fc.constantFrom(0n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 18n, 10n ** 19n, 2n ** 64n - 1n),
)
const unknownField = fc.constantFrom(
  new BinaryWriter()
    .tag(5000, WireType.Varint)
    .uint64(1n << 63n)
    .finish(),
  new BinaryWriter().tag(5001, WireType.Bit64).double(1).finish(),
  new BinaryWriter().tag(5002, WireType.LengthDelimited).bytes(new Uint8Array(3)).finish(),
  new BinaryWriter().tag(5003, WireType.Bit32).float(1).finish(),
  new BinaryWriter()
    .tag(5004, WireType.StartGroup)
    .tag(1, WireType.Varint)
    .bool(true)
    .tag(5004, WireType.EndGroup)
    .finish(),
)
