import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { MessageCodec } from '@headrace/sdk'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { MessageWriter } from '../../src/wire/message-writer.ts'
import { arbitraryMessage, type EveryType } from './arbitrary-message.ts'
import { generateCodec } from './generate-codec.ts'

let codec: MessageCodec<unknown>
beforeAll(async () => {
  codec = await generateCodec('every-type.proto', 'EveryType')
})

/** The bytes of generated code with its default writer. */
const byDefault = (message: unknown): string => hex(codec.encode(message, new BinaryWriter()).finish())
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('generated code writes the bytes of its default writer, for any size of the buffer', () => {
  const given = { messages: 0, refilled: 0 }
  fc.assert(
    fc.property(
      fc.array(arbitraryMessage(2), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4_000 }),
      (messages, initialBytes) => {
        const writer = new MessageWriter(initialBytes)
        const encode = () =>
          messages.map((message) => {
            codec.encode(message, writer.codecWriter)
            return writer.take()
          })
        const expected = messages.map(byDefault)
        expect(encode().map(hex)).toEqual(expected)
        writer.reset()
        expect(encode().map(hex)).toEqual(expected)
        given.messages += messages.length
        if (expected.join('').length / 2 > initialBytes) given.refilled++
      },
    ),
    { numRuns: 40 },
  )
  expect(given.messages).toBeGreaterThanOrEqual(40)
  expect(given.refilled).toBeGreaterThan(0)
})

test('messages nested a hundred levels deep are those of the default writer', () => {
  const [leaf] = fc.sample(arbitraryMessage(0), { numRuns: 1, seed: 1 })
  let message: EveryType = leaf!
  for (let level = 0; level < 100; level++) message = { ...leaf, messages: [message] }
  const writer = new MessageWriter(64)
  codec.encode(message, writer.codecWriter)
  expect(hex(writer.take())).toBe(byDefault(message))
})

const flaws: readonly (readonly [string, Partial<EveryType>])[] = [
  ['a string instead of a number', { an_int32: 'many' }],
  ['a number instead of a string', { maybe_string: 5 }],
  ['an int32 that is too large', { an_int32: 2 ** 31 }],
  ['a uint64 that is too large', { maybe_uint64: 2n ** 64n }],
  ['a float that is too large', { a_float: 1e39 }],
  ['a list of numbers instead of bytes', { some_bytes: [1, 2, 3] }],
  ['a string instead of bytes', { some_bytes: 'abc' }],
  ['wider numbers instead of bytes', { some_bytes: Uint16Array.of(1, 2) }],
  ['no list', { strings: undefined }],
  ['a key that is not a number', { by_sint32: { many: '' } }],
]

test.each(flaws)('%s in a nested message is rejected, and no byte of the message remains', (_, flaw) => {
  fc.assert(
    fc.property(arbitraryMessage(1), arbitraryMessage(1), fc.integer({ min: 1, max: 2_000 }), (good, other, bytes) => {
      const writer = new MessageWriter(bytes)
      codec.encode(good, writer.codecWriter)
      const before = writer.take()
      const bad = { ...other, messages: [{ ...other, by_int64: new Map([[1n, { ...other, ...flaw }]]) }] }
      expect(() => codec.encode(bad, writer.codecWriter)).toThrow()
      writer.discard()
      codec.encode(other, writer.codecWriter)
      expect(hex(writer.take())).toBe(byDefault(other))
      expect(hex(before)).toBe(byDefault(good))
    }),
    { numRuns: 8 },
  )
})
