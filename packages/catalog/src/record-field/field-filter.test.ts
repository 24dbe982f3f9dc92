import { join } from 'node:path'
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { createFieldFilter } from './field-filter.ts'

const root = join(import.meta.dirname, '../../test/protos')
const name = 'headrace.test.wide.Wide'
let schema: SchemaSet
let wide: DescMessage
let numbers: Record<string, number[]>

beforeAll(async () => {
  schema = (await compileProtos([join(root, 'wide.proto')], { root })).schema!
  wide = schema.message(name)!
  const inner = wide.fields.find((field) => field.name === 'inner')!.message!
  numbers = Object.fromEntries([wide, inner].map(({ typeName, fields }) => [typeName, fields.map((one) => one.number)]))
})

const encode = (fields: object) => toBinary(wide, create(wide, fields as never))
const everything = (inner: object) => ({
  ...{ aBool: true, aString: 'text', texts: ['', 'x'.repeat(300)], numbers: [1, -1], labels: { a: 'b' } },
  ...{ inner, inners: [inner, {}], byInt: { 7: inner } },
})
const whole = { name: 'ключ', children: [{ name: 'ASCII' }] }

/** The numbers without those of some fields, by message and name. */
function without(message: string, ...names: string[]): Record<string, number[]> {
  const { typeName, fields } = schema.message(message)!
  const left = fields.filter((field) => !names.includes(field.name)).map(({ number }) => number)
  return { ...numbers, [typeName]: left }
}

describe('createFieldFilter', () => {
  it('returns a message with known fields unchanged', () => {
    const encoded = encode(everything(whole))
    expect(Buffer.from(createFieldFilter(schema, name, numbers)(encoded))).toEqual(Buffer.from(encoded))
  })

  it('removes a field, and one that is in neither schema', () => {
    const filter = createFieldFilter(schema, name, without(name, 'a_bool', 'labels'))
    const unknown = Buffer.from([...encode(everything(whole)), 0xf8, 0xff, 0xff, 0x3f, 1])
    const { aBool: _, labels: __, ...left } = everything(whole)
    expect(Buffer.from(filter(unknown))).toEqual(Buffer.from(encode(left)))
  })

  it('removes a field of nested messages, in lists and in maps', () => {
    const inner = wide.fields.find((field) => field.name === 'inner')!.message!.typeName
    const filter = createFieldFilter(schema, name, without(inner, 'name'))
    const left = encode(everything({ children: [{}] }))
    expect(Buffer.from(filter(encode(everything(whole))))).toEqual(Buffer.from(left))
  })

  it.each(['07', '0a05', 'ffffffffffffffffffffff'])('returns bytes that are not a message unchanged: %s', (hex) => {
    const bytes = Buffer.from(hex, 'hex')
    expect(createFieldFilter(schema, name, numbers)(bytes)).toBe(bytes)
  })

  it('refuses a message that is not in the schema', () => {
    expect(() => createFieldFilter(schema, 'no.Message', {})).toThrow(TypeError)
  })
})
