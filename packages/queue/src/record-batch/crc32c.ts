import { createRequire } from 'node:module'
import { crc32cByTables } from './crc32c-tables.ts'

export type Crc32c = (bytes: Uint8Array, start?: number, end?: number) => number

/** CRC-32C (Castagnoli, RFC 3720 B.4) by the processor's own instructions if `native` is there, else by tables. */
export function createCrc32c(native: ((bytes: Uint8Array) => number) | undefined): Crc32c {
  if (native === undefined) return crc32cByTables
  return (bytes, start = 0, end = bytes.length) => {
    if (end - start < worthTheCall) return crc32cByTables(bytes, start, end)
    return native(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end))
  }
}

// Measured: the call and its view cost as much as the tables need for so many bytes.
const worthTheCall = 256

/** CRC-32C of `bytes` from `start` up to `end`, as an unsigned number. */
export const crc32c: Crc32c = createCrc32c(loadNative())

function loadNative(): ((bytes: Uint8Array) => number) | undefined {
  try {
    const { crc32c } = createRequire(import.meta.url)('@node-rs/crc32') as typeof import('@node-rs/crc32')
    return (bytes) => crc32c(bytes)
  } catch {
    // No binary for this machine, or installed without optional dependencies: the tables give the same numbers.
    return undefined
  }
}
