import { ScalarType } from '@bufbuild/protobuf'
import type { wireTypes } from '../wire/wire-reader.ts'

/** Of bytes in JSON. */
export type BytesForm = 'hex' | 'base64'

export interface ScalarForm {
  readonly wire: keyof typeof wireTypes
  /** In ProtoJSON, 64-bit integers are strings. */
  readonly json: 'float' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'bool' | 'string' | 'bytes'
}

export const scalarForms: Readonly<Record<ScalarType, ScalarForm>> = {
  [ScalarType.DOUBLE]: { wire: 'fixed64', json: 'float' },
  [ScalarType.FLOAT]: { wire: 'fixed32', json: 'float' },
  [ScalarType.INT64]: { wire: 'varint', json: 'int64' },
  [ScalarType.UINT64]: { wire: 'varint', json: 'uint64' },
  [ScalarType.INT32]: { wire: 'varint', json: 'int32' },
  [ScalarType.FIXED64]: { wire: 'fixed64', json: 'uint64' },
  [ScalarType.FIXED32]: { wire: 'fixed32', json: 'uint32' },
  [ScalarType.BOOL]: { wire: 'varint', json: 'bool' },
  [ScalarType.STRING]: { wire: 'length', json: 'string' },
  [ScalarType.BYTES]: { wire: 'length', json: 'bytes' },
  [ScalarType.UINT32]: { wire: 'varint', json: 'uint32' },
  [ScalarType.SFIXED32]: { wire: 'fixed32', json: 'int32' },
  [ScalarType.SFIXED64]: { wire: 'fixed64', json: 'int64' },
  [ScalarType.SINT32]: { wire: 'varint', json: 'int32' },
  [ScalarType.SINT64]: { wire: 'varint', json: 'int64' },
}

/** As in a .proto file. */
export function scalarName(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase()
}
