import { type DescMessage, fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf'
import type { SchemaSet } from '@headrace/catalog'

/** A `google.protobuf.Value` in a message holds nothing. protobuf-es refuses that, though not in a Struct. */
export const emptyValue: unique symbol = Symbol('a Value that holds nothing')

/** What protobuf-es makes of a message; `undefined` where it refuses. */
export function protobufEsJson(
  schema: SchemaSet,
  message: DescMessage,
  bytes: Uint8Array,
): JsonValue | typeof emptyValue | undefined {
  try {
    const options = { alwaysEmitImplicit: true, useProtoFieldName: true, registry: schema.registry }
    return toJson(message, fromBinary(message, bytes), options)
  } catch (error) {
    return String(error).includes('must have a value') ? emptyValue : undefined
  }
}
