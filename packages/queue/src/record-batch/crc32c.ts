import { createRequire } from 'node:module'

type Checksum = (bytes: Uint8Array) => number

const require = createRequire(import.meta.url)

/** CRC-32C (Castagnoli, RFC 3720 B.4), unsigned. */
export const crc32c: Checksum = loadNative() ?? loadWebAssembly()

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
