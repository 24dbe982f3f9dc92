import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { crc32c as native } from '@node-rs/crc32'
import { crc32c as webAssembly } from '@platformatic/wasm-utils'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'

describe.each([
  ['with the native binary', native],
  ['in WebAssembly', webAssembly],
  ['as it is loaded', crc32c],
])('crc32c %s', (_, checksum) => {
  // RFC 3720, B.4.
  it.each([
    ['32 zero bytes', new Uint8Array(32), 0x8a9136aa],
    ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['32 rising bytes', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
    ['no bytes', new Uint8Array(0), 0],
  ])('gives the published checksum of %s', (_, bytes, expected) => {
    expect(checksum(bytes)).toBe(expected)
  })

  it('covers exactly the bytes from start to end, at any alignment', () => {
    const digits = Buffer.from('123456789')
    for (let start = 0; start < 20; start++) {
      const padded = new Uint8Array(64).fill(0xa5)
      padded.set(digits, start)
      expect(checksum(padded.subarray(start, start + digits.length))).toBe(0xe3069283)
    }
  })
})

describe('crc32c', () => {
  it('is the same with and without the native binary, at any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), fc.nat(300), fc.nat(300), (bytes, from, back) => {
        const start = Math.min(from, bytes.length)
        const end = Math.max(start, bytes.length - back)
        const part = bytes.subarray(start, end)
        expect(native(part)).toBe(webAssembly(part))
      }),
    )
  })

  it.each([
    ['the native binary if it loads', {}, true],
    ['WebAssembly if it does not', { NAPI_RS_NATIVE_LIBRARY_PATH: '/nowhere/crc32.node' }, false],
  ])('uses %s', (_, variables, expected) => {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', checksumInOwnProcess], {
      env: { ...process.env, ...variables },
    })
    expect(JSON.parse(output.toString())).toEqual({ checksum: 0xe3069283, native: expected })
  })
})

const checksumInOwnProcess = `
const { crc32c } = await import(${JSON.stringify(fileURLToPath(new URL('./crc32c.ts', import.meta.url)))})
const native = process.report.getReport().sharedObjects.some((path) => /crc32[^/]*\\.node$/.test(path))
console.log(JSON.stringify({ checksum: crc32c(Buffer.from('123456789')), native }))
`
