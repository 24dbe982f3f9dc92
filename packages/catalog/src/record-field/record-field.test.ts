import { join } from 'node:path'
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { createKeyReader, createTimeReader } from './record-field.ts'

const root = join(import.meta.dirname, '../../test/protos')
const name = 'headrace.test.wide.Wide'
let schema: SchemaSet
let wide: DescMessage

beforeAll(async () => {
  schema = (await compileProtos([join(root, 'wide.proto')], { root })).schema!
  wide = schema.message(name)!
})
const encode = (fields: object) => toBinary(wide, create(wide, fields as never))

describe('createKeyReader', () => {
  it.each([
    ['a_string', 'aString', 'ключ', Buffer.from('ключ')],
    ['some_bytes', 'someBytes', Uint8Array.of(1, 0, 255), Buffer.of(1, 0, 255)],
    ['an_int32', 'anInt32', -2, int64(-2n)],
    ['a_uint32', 'aUint32', 2 ** 32 - 1, int64(2n ** 32n - 1n)],
    ['a_sint32', 'aSint32', -(2 ** 31), int64(-(2n ** 31n))],
    ['a_fixed32', 'aFixed32', 2 ** 31, int64(2n ** 31n)],
    ['a_sfixed32', 'aSfixed32', -1, int64(-1n)],
    ['an_int64', 'anInt64', -(2n ** 63n), int64(-(2n ** 63n))],
    ['a_uint64', 'aUint64', 2n ** 64n - 1n, int64(-1n)],
    ['a_sint64', 'aSint64', -(2n ** 40n), int64(-(2n ** 40n))],
    ['a_fixed64', 'aFixed64', 2n ** 33n, int64(2n ** 33n)],
    ['a_sfixed64', 'aSfixed64', -5n, int64(-5n)],
  ])('extracts the key from %s', (field, property, value, key) => {
    const encoded = encode({ aBool: true, [property]: value, texts: ['after'] })
    expect(Buffer.from(createKeyReader(schema, name, field)(encoded)!)).toEqual(key)
    expect(Buffer.from(createKeyReader(schema, name, field, { hasFieldsOnce: true })(encoded)!)).toEqual(key)
  })

  it('stops at the field if a message has each field once', () => {
    const [one, two] = [encode({ aString: 'one' }), encode({ aString: 'two' })]
    const read = createKeyReader(schema, name, 'a_string', { hasFieldsOnce: true })
    expect(Buffer.from(read(Buffer.concat([one, two]))!).toString()).toBe('one')
  })

  it('returns the zero value of an absent field, and no key for an absent optional one', () => {
    expect(createKeyReader(schema, name, 'a_string')(encode({}))).toEqual(new Uint8Array(0))
    expect(createKeyReader(schema, name, 'a_uint64')(encode({}))).toEqual(new Uint8Array(8))
    expect(createKeyReader(schema, name, 'maybe_string')(encode({}))).toBeNull()
    expect(createKeyReader(schema, name, 'maybe_int32')(encode({}))).toBeNull()
    expect(createKeyReader(schema, name, 'maybe_string')(encode({ maybeString: '' }))).toEqual(new Uint8Array(0))
  })

  it('uses the last of several occurrences', () => {
    const encoded = Buffer.concat([encode({ aString: 'one' }), encode({ aString: 'two' })])
    expect(Buffer.from(createKeyReader(schema, name, 'a_string')(encoded)!).toString()).toBe('two')
  })

  it.each(['a_bool', 'a_double', 'texts', 'inner', 'colour', 'labels', 'missing'])('refuses %s', (field) => {
    expect(() => createKeyReader(schema, name, field)).toThrow(TypeError)
  })

  it('does not throw for bytes that are not a message', () => {
    const read = createKeyReader(schema, name, 'a_string')
    const property = fc.property(fc.uint8Array(), (bytes) => {
      expect(read(bytes)).toBeInstanceOf(Uint8Array)
    })
    fc.assert(property)
  })
})

describe('createTimeReader', () => {
  const ts = (seconds: bigint, nanos = 0) => ({ ts: { $typeName: 'google.protobuf.Timestamp', seconds, nanos } })

  it('reads a Timestamp in ms', () => {
    const read = createTimeReader(schema, name, 'ts')
    expect(read(encode(ts(1_780_000_000n, 123_999_999)))).toBe(1_780_000_000_123)
    expect(read(encode(ts(0n)))).toBe(0)
    expect(read(encode({}))).toBeUndefined()
  })

  it('reads an int64 as seconds', () => {
    const read = createTimeReader(schema, name, 'an_int64')
    expect(read(encode({ anInt64: 1_780_000_000n }))).toBe(1_780_000_000_000)
    expect(read(encode({}))).toBeUndefined()
  })

  it('limits times to 1970 and later, and returns none for a time after the year 9999', () => {
    const read = createTimeReader(schema, name, 'ts')
    expect(read(encode(ts(-62_135_596_800n)))).toBe(0)
    expect(read(encode(ts(253_402_300_799n)))).toBe(253_402_300_799_000)
    expect(read(encode(ts(253_402_300_800n)))).toBeUndefined()
    expect(read(encode(ts(2n ** 63n - 1n)))).toBeUndefined()
  })

  it.each(['a_string', 'a_uint64', 'times', 'took'])('refuses %s', (field) => {
    expect(() => createTimeReader(schema, name, field)).toThrow(TypeError)
  })

  it('returns a time or none for bytes that are not a message', () => {
    const read = createTimeReader(schema, name, 'ts')
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const time = read(Buffer.concat([encode(ts(1n)), bytes]))
        if (time !== undefined) expect(time).toSatisfy((value: number) => Number.isSafeInteger(value) && value >= 0)
      }),
    )
  })
})

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
