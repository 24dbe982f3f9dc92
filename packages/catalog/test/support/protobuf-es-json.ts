import { type DescMessage, fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf'
import type { SchemaSet } from '@headrace/catalog'

/** A `google.protobuf.Value` in a message has no value. protobuf-es refuses that, except in a Struct. */
export const emptyValue: unique symbol = Symbol('a Value without a value')

/** Renders a message with protobuf-es. Returns `undefined` if protobuf-es refuses it. */
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
