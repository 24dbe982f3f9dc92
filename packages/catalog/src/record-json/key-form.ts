import { isUtf8 } from 'node:buffer'
import type { DescField } from '@bufbuild/protobuf'
import { type BytesForm, scalarForms } from '../schema/scalar-forms.ts'
import type { JsonWriter } from './json-writer.ts'
import { writeBytes } from './write-bytes.ts'
import { writeText } from './write-text.ts'

/** What the bytes of record keys are. Integers are big-endian, of 8 or 4 bytes. */
export type KeyForm = 'string' | 'int' | 'uint' | 'bytes'

/** @param field - `undefined`: records have no key that a field contains. */
export function keyFormOf(field: DescField | undefined): KeyForm {
  const json = field?.scalar === undefined ? 'bytes' : scalarForms[field.scalar].json
  if (json === 'string' || json === 'bytes') return json
  return json.startsWith('u') ? 'uint' : 'int'
}

/** Keys that do not have the form are written as bytes. */
export function writeKey(out: JsonWriter, key: Uint8Array | null, form: KeyForm, bytes: BytesForm): void {
  const integer = key && (form === 'int' || form === 'uint') ? readIntegerKey(key, form) : undefined
  if (!key) out.ascii('null')
  else if (integer !== undefined) out.ascii(`"${integer}"`)
  else if (form === 'string' && isUtf8(key)) writeText(out, key, 0, key.length)
  else writeBytes(out, key, 0, key.length, bytes)
}

/** `undefined` if it does not have the length of one. */
export function readIntegerKey(key: Uint8Array, form: 'int' | 'uint'): bigint | undefined {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  if (key.length === 8) return form === 'uint' ? view.getBigUint64(0) : view.getBigInt64(0)
  if (key.length === 4) return BigInt(form === 'uint' ? view.getUint32(0) : view.getInt32(0))
  return undefined
}
