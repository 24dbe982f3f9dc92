import { join } from 'node:path'
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { createMessageCheck, type MessageCheck } from './message-check.ts'
import { createRecordRenderer } from './record-renderer.ts'

const root = join(import.meta.dirname, '../../test/protos')
const name = 'headrace.test.wide.Wide'
let schema: SchemaSet
let wide: DescMessage
let check: MessageCheck

beforeAll(async () => {
  schema = (await compileProtos([join(root, 'wide.proto')], { root })).schema!
  wide = schema.message(name)!
  check = createMessageCheck(schema, name)
})

const hex = (bytes: string) => Buffer.from(bytes.replaceAll(' ', ''), 'hex')
const full = () => {
  const inner = { name: 'ключ', children: [{ name: 'ASCII' }], back: { aBool: true } }
  const scalars = { aDouble: 1.5, aFloat: 2, anInt32: -1, aUint64: 2n ** 64n - 1n, aFixed32: 7, someBytes: hex('ff') }
  const lists = { numbers: [1, -1, 300], plainNumbers: [5n, -5n], texts: ['', 'ü'], doubles: [1, 2], inners: [inner] }
  const maps = { labels: { a: 'b' }, byInt: { 7: inner }, byFlag: { true: hex('fe') } }
  return toBinary(wide, create(wide, { ...scalars, ...lists, ...maps, inner, aString: 'text' } as never))
}

describe('createMessageCheck', () => {
  it('accepts a message with all fields, an empty one, and unknown fields', () => {
    for (const bytes of [full(), hex(''), hex('c0 3e 01'), hex('c3 3e 08 01 c4 3e')])
      expect(() => check(bytes)).not.toThrow()
  })

  it.each([
    ['bytes of a plain text', '67 61 72 62 61 67 65', /cut off|wire type|no end|group/],
    ['a field with the number 0', '00 01', /the number 0/],
    ['an unknown wire type', '0f 01', /wire type 7/],
    ['a string that is not UTF-8', '72 02 c3 28', /not UTF-8/],
    ['a string of a nested message that is not UTF-8', 'f2 01 03 0a 01 ff', /not UTF-8/],
    ['a string of a map that is not UTF-8', 'e2 03 03 0a 01 ff', /not UTF-8/],
    ['a value that is longer than the message', '72 05 61', /cut off/],
    ['a nested message that is cut off', 'f2 01 02 0a 05', /cut off/],
    ['a nested message with a field that exceeds its end', 'f2 01 02 0a 03 61 62 63', /cut off/],
    ['a number that is cut off', '19 01', /cut off|wire type|no end/],
    ['a varint without an end', '18 ff ff ff ff ff ff ff ff ff ff ff 01', /no end/],
    ['packed numbers that are cut off', '92 03 02 01 80', /cut off|no end/],
    ['a group that does not end', 'c3 3e 08 01', /no end/],
  ])('refuses %s', (_, bytes, reason) => {
    expect(() => check(hex(bytes))).toThrow(reason)
  })

  it('refuses messages that are nested too deep', () => {
    let bytes: Buffer = Buffer.alloc(0)
    for (let depth = 0; depth < 150; depth++) bytes = lengthField(depth % 2 === 0 ? 3 : 30, bytes)
    expect(() => check(bytes)).toThrow(/more than 100 deep/)
  })

  it('refuses damaged messages that cannot be rendered to JSON', async () => {
    const { schema: plainSchema } = await compileProtos([join(root, 'plain.proto')], { root })
    const { descriptors, message } = plainSchema!
    const plain = message('headrace.test.plain.Plain')!
    const checkPlain = createMessageCheck(plainSchema!, plain.typeName)
    const render = rendererOf(plain, descriptors)
    const inner = { text: 'ключ', inner: { raw: hex('ff00'), number: -7 }, packed: [1n, -1n, 300n] }
    const lists = { inners: [inner, {}], texts: ['', 'ü'], fours: [1, 2], byText: { a: inner } }
    const whole = toBinary(plain, create(plain, { ...inner, ...lists, signed: -5n, four: 7, eight: 1.5 } as never))
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
      cut: fc.option(fc.nat(whole.length)),
    })
    let accepted = 0
    const property = fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
      let bytes = Buffer.from(whole)
      for (const { at, bytes: other, cut } of damages) {
        if (at + other.length <= bytes.length) bytes.set(other, at)
        if (cut !== null) bytes = bytes.subarray(0, cut)
      }
      if (!isAccepted(() => checkPlain(bytes))) return
      accepted++
      expect(render(bytes)).not.toContain('"error"')
    })
    fc.assert(property, { numRuns: 3000 })
    expect(accepted).toBeGreaterThan(100)
  })

  it('throws for an unknown message', () => {
    expect(() => createMessageCheck(schema, 'headrace.test.wide.None')).toThrow(TypeError)
  })
})

function rendererOf({ typeName }: DescMessage, descriptors: Uint8Array): (value: Uint8Array) => string {
  const names = { topic: 't', lineage: 'l', instance: 'i', message: typeName }
  const connector = { owner: 'o', package: 'p', version: '1.0.0' }
  const { render } = createRecordRenderer({ ...names, connector, descriptors, bytes: 'hex', partitions: 1 })
  const record = { topic: 't', partition: 0, offset: 0n, time: 0, key: null, headers: [] }
  return (value) => Buffer.from(render({ ...record, value })).toString()
}

function isAccepted(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}

function lengthField(number: number, value: Buffer): Buffer {
  const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)])
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(value.length)]), value])
}
