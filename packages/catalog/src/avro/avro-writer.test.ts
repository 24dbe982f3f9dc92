import avsc from 'avsc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonWriter } from '../record-json/json-writer.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import { AvroSource } from './avro-source.ts'
import { createAvroWriter } from './avro-writer.ts'
import { parseAvroSchema } from './parse-avro-schema.ts'

const long = avsc.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer(value: bigint) {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(value)
    return buffer
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0),
})
/** The library of others that writes the values. */
const judge = (schema: unknown) => avsc.Type.forSchema(schema as avsc.Schema, { registry: { long }, wrapUnions: false })

function render(value: Uint8Array, written: unknown, read: unknown = written, quotesLongs = true): unknown {
  const [from, to] = [written, read].map((schema) => parseAvroSchema({ text: JSON.stringify(schema) }))
  const out = new JsonWriter()
  const source = new AvroSource(out, 'hex', quotesLongs)
  const write = createAvroWriter(from!, to!, { bytes: 'hex', quotesLongs })
  source.open(value, 0)
  write(source, 0)
  source.close()
  return JSON.parse(out.bytes.toString('utf8', 0, out.length))
}

const tree = {
  type: 'record',
  name: 'acme.Tree',
  fields: [
    { name: 'flag', type: 'boolean' },
    { name: 'small', type: 'int' },
    { name: 'big', type: 'long' },
    { name: 'ratio', type: 'double' },
    { name: 'text', type: 'string' },
    { name: 'raw', type: 'bytes' },
    { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 4 } },
    { name: 'color', type: { type: 'enum', name: 'Color', symbols: ['RED', 'GREEN'] } },
    { name: 'maybe', type: ['null', 'string', 'long'] },
    { name: 'counts', type: { type: 'map', values: 'long' } },
    { name: 'children', type: { type: 'array', items: 'Tree' } },
  ],
}
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const arbitraryTree = (depth: number): fc.Arbitrary<unknown> =>
  fc.record({
    flag: fc.boolean(),
    small: fc.integer(),
    big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
    text: fc.string({ unit: 'grapheme' }),
    raw: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
    hash: fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    color: fc.constantFrom('RED', 'GREEN'),
    maybe: fc.option(fc.oneof(fc.string(), fc.bigInt({ min: -5n, max: 5n }))),
    counts: fc.dictionary(fc.constantFrom('a', 'b', 'ключ'), fc.bigInt({ min: -5n, max: 5n })),
    children: depth === 0 ? fc.constant([]) : fc.array(arbitraryTree(depth - 1), { maxLength: 2 }),
  })

/** As the JSON must be. */
const toJson = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  if (Buffer.isBuffer(value)) return hexOf(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toJson(one)]))
}

test('values that another library has written are rendered without a loss', () => {
  const type = judge(tree)
  fc.assert(
    fc.property(arbitraryTree(2), (value) => {
      expect(toJson(render(type.toBuffer(value), tree))).toEqual(toJson(value))
    }),
    { numRuns: 300 },
  )
})

test('a damaged value is refused or rendered, and takes neither time nor memory beyond its size', () => {
  const whole = judge(tree).toBuffer({
    ...{ flag: true, small: -1, big: 7n, ratio: 1, text: 'a', raw: Buffer.of(1), hash: Buffer.alloc(4), color: 'RED' },
    ...{ maybe: 'x', counts: { a: 1n }, children: [] },
  })
  let refused = 0
  const property = fc.property(
    fc.nat(whole.length - 1),
    fc.uint8Array({ minLength: 1, maxLength: 10 }),
    (at, bytes) => {
      const damaged = Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + bytes.length)])
      try {
        render(damaged, tree)
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessageError)
        refused++
      }
    },
  )
  fc.assert(property, { numRuns: 3000 })
  expect(refused).toBeGreaterThan(1000)
})

test.each<[string, unknown, string, RegExp]>([
  ['an array of 2^40 nulls', { type: 'array', items: 'null' }, '8080808080800100', /items without bytes/],
  ['a count that is too large', { type: 'array', items: 'int' }, 'ffffffffffffffffff01', /too large/],
  ['a branch that does not exist', ['null', 'int'], '04', /no branch 2/],
  ['a symbol that does not exist', { type: 'enum', name: 'E', symbols: ['A'] }, '02', /no symbol 1/],
  ['an int of 33 bits', 'int', '8080808020', /more than 32 bits/],
  ['bytes after it', 'int', '0202', /1 bytes follow/],
  ['text that is not UTF-8', 'string', '02ff', /not UTF-8/],
  ['a negative length', 'bytes', '01', /cut off/],
  ['a boolean of 2', 'boolean', '02', /boolean is 2/],
  ['a date of the year 100,000', { type: 'int', logicalType: 'date' }, '80d0cd22', /out of range/],
])('a value with %s is refused', (_, schema, hex, reason) => {
  expect(() => render(Buffer.from(hex, 'hex'), schema)).toThrow(reason)
})

test.each<[string, unknown, unknown, unknown]>([
  ['decimal', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }, Buffer.from('ff85', 'hex'), '-1.23'],
  ['decimal', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 3 }, Buffer.of(5), '0.005'],
  ['date', { type: 'int', logicalType: 'date' }, 20_000, '2024-10-04'],
  ['time-micros', { type: 'long', logicalType: 'time-micros' }, 3_661_000_001, '01:01:01.000001'],
  ['timestamp-millis', { type: 'long', logicalType: 'timestamp-millis' }, -1, '1969-12-31T23:59:59.999Z'],
  ['timestamp-micros', { type: 'long', logicalType: 'timestamp-micros' }, 1_000_001, '1970-01-01T00:00:01.000001Z'],
  ['local-timestamp-millis', { type: 'long', logicalType: 'local-timestamp-millis' }, 0, '1970-01-01T00:00:00'],
  [
    'uuid',
    { type: 'fixed', name: 'U', size: 16, logicalType: 'uuid' },
    Buffer.alloc(16, 1),
    '01010101-0101-0101-0101-010101010101',
  ],
  ['an unknown one', { type: 'int', logicalType: 'mood' }, 3, 3],
])('the logical type %s is rendered', (_, schema, value, json) => {
  expect(render(judge(schema).toBuffer(value), schema)).toEqual(json)
})

test('a writer is resolved to a reader with another order, promotions, aliases, defaults and unions', () => {
  const written = {
    type: 'record',
    name: 'Order',
    fields: [
      { name: 'id', type: 'int' },
      { name: 'removed', type: { type: 'array', items: 'string' } },
      { name: 'oldName', type: 'string' },
      { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'C'] } },
    ],
  }
  const read = {
    type: 'record',
    name: 'shop.Order',
    fields: [
      { name: 'name', aliases: ['oldName'], type: ['null', 'string'] },
      { name: 'id', type: 'long' },
      { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'B'], default: 'B' } },
      { name: 'added', type: 'long', default: 5 },
      { name: 'list', type: ['null', { type: 'array', items: 'bytes' }], default: null },
      { name: 'raw', type: 'bytes', default: 'ÿ' },
    ],
  }
  const value = judge(written).toBuffer({ id: 7, removed: ['x', 'y'], oldName: 'a', kind: 'C' })
  const common = { name: 'a', kind: 'B', list: null, raw: '0xff' }
  expect(render(value, written, read)).toEqual({ ...common, id: '7', added: '5' })
  expect(render(value, written, read, false)).toEqual({ ...common, id: 7, added: 5 })
  const incompatible = { ...read, fields: [{ name: 'id', type: 'string' }] }
  expect(() => render(value, written, incompatible)).toThrow('int cannot be read as string')
})

test.each([
  ['{', /not JSON/],
  ['{"type":"record","name":"A","fields":[{"name":"b","type":"C"}]}', /the type "C" is unknown/],
  ['{"type":"record","name":"1A","fields":[]}', /the name "1A" is not valid/],
  ['["int","int"]', /the branch int twice/],
  [`${'{"type":"array","items":'.repeat(120)}"int"${'}'.repeat(120)}`, /nested more than 100 deep/],
])('the schema %s is refused', (text, reason) => {
  expect(() => parseAvroSchema({ text })).toThrow(reason)
})
