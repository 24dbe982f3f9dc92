import { isUtf8 } from 'node:buffer'
import { type DescField, ScalarType } from '@bufbuild/protobuf'
import type { JsonWriter } from './json-writer.ts'
import { writeBytes } from './write-bytes.ts'
import { writeText } from './write-text.ts'

/**
 * Writes keys of string fields as text, of integers in decimal, and others as bytes. Keys of foreign producers that do
 * not match the field are written as bytes as well.
 */
export function createKeyWriter(
  field: DescField | undefined,
  bytes: 'hex' | 'base64',
): (out: JsonWriter, key: Uint8Array | null) => void {
  const write = keyForm(field)
  return (out, key) => {
    if (!key) out.ascii('null')
    else if (!write?.(out, key)) writeBytes(out, key, 0, key.length, bytes)
  }
}

type WriteFitting = (out: JsonWriter, key: Uint8Array) => boolean

function keyForm(field: DescField | undefined): WriteFitting | undefined {
  switch (field?.scalar) {
    case undefined:
    case ScalarType.BYTES:
      return undefined
    case ScalarType.STRING:
      return writeTextKey
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return (out, key) => writeIntegerKey(out, key, false)
    default:
      return (out, key) => writeIntegerKey(out, key, true)
  }
}

function writeTextKey(out: JsonWriter, key: Uint8Array): boolean {
  if (!isUtf8(key)) return false
  writeText(out, key, 0, key.length)
  return true
}

function writeIntegerKey(out: JsonWriter, key: Uint8Array, signed: boolean): boolean {
  if (key.length !== 8) return false
  const view = new DataView(key.buffer, key.byteOffset, 8)
  out.ascii(`"${signed ? view.getBigInt64(0) : view.getBigUint64(0)}"`)
  return true
}
