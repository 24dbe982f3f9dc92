import { createRequire } from 'node:module'

/** CRC-32C (Castagnoli, RFC 3720 B.4) of `bytes` from `start` up to `end`, unsigned. */
export type Crc32c = (bytes: Uint8Array, start?: number, end?: number) => number

type Checksum = (bytes: Uint8Array) => number

export function createCrc32c(checksum: Checksum): Crc32c {
  return (bytes, start = 0, end = bytes.length) => {
    const isWhole = start === 0 && end === bytes.length
    return checksum(isWhole ? bytes : bytes.subarray(start, end))
  }
}

const require = createRequire(import.meta.url)

export const crc32c: Crc32c = createCrc32c(loadNative() ?? loadWebAssembly())

function loadNative(): Checksum | undefined {
  try {
    return (require('@node-rs/crc32') as typeof import('@node-rs/crc32')).crc32c
  } catch {
    // No binary for this machine, or no optional dependencies.
    return undefined
  }
}

function loadWebAssembly(): Checksum {
  return (require('@platformatic/wasm-utils') as typeof import('@platformatic/wasm-utils')).crc32c
}
