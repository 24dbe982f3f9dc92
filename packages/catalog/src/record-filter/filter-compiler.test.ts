import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import type { QueueRecord } from '@headrace/queue'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeAt } from '../record-header/record-header.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { createFilterCompiler } from './filter-compiler.ts'

const root = join(import.meta.dirname, '../../test/protos')
let schema: SchemaSet

beforeAll(async () => {
  schema = (await compileProtos([join(root, 'wide.proto')], { root })).schema!
})

const compilerOf = (change: Partial<TopicRegistration> = {}) =>
  createFilterCompiler({
    topic: 'headrace.test.1_0_0.main_Wide',
    lineage: 'headrace.test.1_0_0',
    instance: 'main',
    connector: { owner: 'headrace', package: 'test', version: '1.0.0' },
    message: 'headrace.test.wide.Wide',
    descriptors: schema.descriptors,
    bytes: 'hex',
    partitions: 1,
    ...change,
  })

const recordOf = (fields: object, change: Partial<QueueRecord> = {}): QueueRecord => {
  const message = schema.message('headrace.test.wide.Wide')!
  const value = toBinary(message, create(message, fields as never))
  return { topic: 't', partition: 0, offset: 0n, time: 1_767_225_600_500, key: null, headers: [], value, ...change }
}
const at = { key: 'at', value: encodeAt(5, 0) }
const matches = (text: string, record: QueueRecord, change?: Partial<TopicRegistration>) =>
  compilerOf(change).compile(text).matches(record)

describe('a filter', () => {
  const fields = {
    aString: 'abc',
    someBytes: Uint8Array.of(0xab, 0xcd, 0),
    colour: 1,
    aUint64: 2n ** 64n - 1n,
    maybeInt32: 0,
    choice: { case: 'pickedText', value: '1000000000000000000000' },
    ts: { $typeName: 'google.protobuf.Timestamp', seconds: 1_767_225_600n, nanos: 0 },
    inner: { name: 'x', children: [{ name: 'first' }, { name: 'second', children: [{ name: 'deep' }] }] },
    texts: ['a', 'b'],
    numbers: [1, 300],
    labels: { k: 'v' },
    byInt: { 7: { name: 'seven' } },
    byFlag: { true: Uint8Array.of(255) },
  }

  it.each([
    'value.some_bytes == "0xABcd00"',
    'value.some_bytes.startsWith("0xAB") && value.some_bytes.endsWith("0x00") && value.some_bytes.contains("0xCD")',
    'size(value.some_bytes) == 3 && value.a_string.size() == 3',
    'value.colour == "COLOUR_RED" && value.colour == 1 && value.colour in ["COLOUR_RED", "COLOUR_BLUE"] && value.colour != "COLOUR_BLUE"',
    'value.a_uint64 == 18446744073709551615 && value.a_uint64 < 18446744073709551616 && value.a_uint64 > -1',
    'has(value.maybe_int32) && !has(value.maybe_string) && !has(value.an_int32) && value.an_int32 == 0',
    'value.ts == "2026-01-01T00:00:00Z" && value.ts == timestamp("2026-01-01T01:00:00+01:00")',
    'time > value.ts && time == "2026-01-01T00:00:00.5Z"',
    'value.inner.back.inner.name == "" && !has(value.inner.back) && value.inner.name == "x"',
    'value.inner.children.exists(c, c.children.exists(d, d.name == "deep") && c.name == "second")',
    '!value.inner.children.exists(c, c.children.exists(d, d.name == "deep") && c.name == "first")',
    'value.texts.exists(value, value == "b") && "a" in value.texts && 300 in value.numbers && size(value.texts) == 2',
    'value.labels["k"] == "v" && value.labels.k == "v" && "k" in value.labels && has(value.labels.k)',
    'value.by_int[7].name == "seven" && value.by_flag[true] == b"\\xff" && size(value.by_int) == 1',
    '!has(value.labels.other) && !("other" in value.labels)',
    'op == "append" && unit == null && key == null',
    "value.a_string == 'a\\x62c' // a comment\n",
    'value.a_string == r"abc" && !(value.a_string == r"\\x61bc")',
    'int(value.picked_text) == 1000000000000000000000 && int(value.picked_text) in [5, 1000000000000000000000]',
    'value.numbers.exists(n, n == size(value.labels)) && 300 in value.numbers',
    '!!value.a_bool == false && !value.a_bool',
  ])('matches: %s', (text) => {
    expect(matches(text, recordOf(fields))).toBe(true)
  })

  it('does not match where an error decides', () => {
    const orders = ['<', '<=', '>', '>='].map((relation) => `unit ${relation} 5`)
    const others = ['int(value.a_string) == 5', 'value.labels["x"] == "v"', 'key < "0x01"', 'key.startsWith("0x")']
    for (const error of [...orders, ...others]) {
      expect(matches(error, recordOf(fields))).toBe(false)
      expect(matches(`!(${error})`, recordOf(fields))).toBe(false)
      expect(matches(`${error} || value.a_string == "abc"`, recordOf(fields))).toBe(true)
      expect(matches(`!(${error} && value.a_string == "other")`, recordOf(fields))).toBe(true)
    }
  })

  it('uses the last entry of a map with a key', () => {
    const entries = ['old', 'new'].map((value) => recordOf({ labels: { k: value, [value]: '' } }).value!)
    const record = recordOf({}, { value: Buffer.concat(entries) })
    expect(matches('value.labels.k == "new" && size(value.labels) == 3', record)).toBe(true)
    expect(matches('value.labels.k == "old"', record)).toBe(false)
  })

  it('counts characters, not bytes, of a string', () => {
    expect(matches('size(value.a_string) == 5', recordOf({ aString: 'ключ😀' }))).toBe(true)
  })

  it('evaluates what does not depend on an item again for the next record, and the next outer item', () => {
    const filter = compilerOf().compile('value.texts.exists(t, value.a_bool && t == "a" && size(value.texts) == 2)')
    const found = [false, true, false].map((aBool) => filter.matches(recordOf({ aBool, texts: ['b', 'a'] })))
    expect(found).toEqual([false, true, false])
    const inners = ['a', 'b', 'c'].map((name) => ({ name, children: [{ name: '0' }, { name: '1' }] }))
    const nested = 'value.inners.exists(x, x.children.exists(y, x.name == "b" && y.name == "1"))'
    expect(matches(nested, recordOf({ inners }))).toBe(true)
    expect(matches(nested, recordOf({ inners: inners.slice(0, 1) }))).toBe(false)
  })

  it('compares the number that does not fit in its field', async () => {
    const evm = join(import.meta.dirname, '../../../../examples/evm/proto/evm.proto')
    const { schema: evmSchema } = await compileProtos([evm])
    const message = evmSchema!.message('headrace.evm.Transaction')!
    const change = { message: message.typeName, descriptors: evmSchema!.descriptors }
    const exact = Buffer.from('010000000000000001', 'hex')
    const value = toBinary(message, create(message, { Amount: 2n ** 64n - 1n, AmountExact: exact, R: 5n } as never))
    const record = recordOf({}, { value })
    const holds = (text: string) => matches(text, record, change)
    expect(holds('value.Amount == 18446744073709551617 && value.Amount in [1, 18446744073709551617]')).toBe(true)
    expect(holds('value.Amount > 18446744073709551616 && value.Amount < 18446744073709551618')).toBe(true)
    expect(holds('value.Amount == 18446744073709551615')).toBe(false)
    const small = toBinary(message, create(message, { AmountExact: Uint8Array.of(7) } as never))
    const compiler = compilerOf(change)
    const index = compiler.createIndex()
    index.add(compiler.compile('value.Amount == 7'))
    index.add(compiler.compile('value.Amount == 18446744073709551617'))
    expect(index.match(recordOf({}, { value: small })).map(({ text }) => text)).toEqual(['value.Amount == 7'])
    expect(index.match(record)).toHaveLength(1)
    expect(holds('value.R == 5 && value.Amount > value.R && has(value.AmountExact)')).toBe(true)
  })

  it('compares the key as it is rendered', () => {
    const holds = (text: string, key: Uint8Array | null, field: string) =>
      matches(text, recordOf({}, { key }), { key: field })
    expect(holds('key == "ключ"', Buffer.from('ключ'), 'a_string')).toBe(true)
    expect(holds('key == "0xFF"', Buffer.of(255), 'some_bytes')).toBe(true)
    expect(holds('key == -1', Buffer.alloc(8, 255), 'an_int64')).toBe(true)
    expect(holds('key == 18446744073709551615', Buffer.alloc(8, 255), 'a_uint64')).toBe(true)
    expect(holds('key != 5', Buffer.of(1), 'a_uint64')).toBe(false)
    expect(matches('key == "/w=="', recordOf({}, { key: Buffer.of(255) }), { bytes: 'base64' })).toBe(true)
    expect(matches('key == "/w"', recordOf({}, { key: Buffer.of(255) }), { bytes: 'base64' })).toBe(true)
  })

  it.each([
    ['a tombstone', { value: null }],
    ['a message that could not be produced', { headers: [at, { key: 'error', value: Buffer.from('x') }] }],
    ['a value that is not a message', { value: Uint8Array.of(10, 200) }],
  ])('matches %s only by the parts that can be read', (_, change) => {
    const record = recordOf({}, { key: Buffer.of(1), ...change })
    const texts = [
      'value.a_string == ""',
      'value.a_string != "a"',
      'has(value.inner)',
      'value.texts.exists(x, x == "")',
    ]
    for (const text of texts) {
      expect(matches(text, record)).toBe(false)
      expect(matches(`!(${text})`, record)).toBe(false)
      expect(matches(`key == "0x01" || ${text}`, record)).toBe(true)
    }
  })

  it('has a text that is equal for equal syntax trees', () => {
    const { compile } = compilerOf()
    const textOf = (text: string) => compile(text).text
    const text = textOf('value.a_string=="a\'b"&&(value.a_bool)||!value.a_bool&&value.an_int32 in [1,0x2]')
    expect(text).toBe('((value.a_string == "a\'b") && value.a_bool) || ((!value.a_bool) && (value.an_int32 in [1, 2]))')
    expect(textOf(text)).toBe(text)
    expect(
      textOf("( value.a_string == 'a\\'b' ) && value.a_bool || (!value.a_bool && value.an_int32 in [1, 2u])"),
    ).toBe(text)
    expect(textOf('value.a_bool && (value.yes || value.a_bool)')).not.toBe(
      textOf('(value.a_bool && value.yes) || value.a_bool'),
    )
    expect(textOf('value.a_double == 1.0')).not.toBe(textOf('value.a_double == 1'))
  })

  it('is joined with another one by their meaning, not by their texts', () => {
    const compiler = compilerOf()
    const one = compiler.compile('value.an_int32 == 1 || value.an_int32 == 2')
    const other = compiler.compile('value.a_string == "a" || value.a_string == "b" // all')
    const both = compiler.and(one, other)
    const found = [1, 2, 3].flatMap((anInt32) => ['a', 'b', 'c'].map((aString) => recordOf({ anInt32, aString })))
    expect(found.filter((record) => both.matches(record))).toHaveLength(4)
    expect(compiler.and(one, one)).toBe(one)
    expect(() => compilerOf().and(one, other)).toThrow(TypeError)
  })

  it('does not depend on the record before', () => {
    const { compile } = compilerOf()
    const filter = compile('value.inner.name == "x"')
    expect(filter.matches(recordOf(fields))).toBe(true)
    expect(filter.matches(recordOf({}))).toBe(false)
    expect(filter.matches(recordOf(fields, { value: null }))).toBe(false)
  })
})

it('the examples of the reference page are filters', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/reference/filters.md'), 'utf8')
  const examples = /```\n(.*?)```/s.exec(page)![1]!.trimEnd().split('\n')
  const evm = join(import.meta.dirname, '../../../../examples/evm/proto/evm.proto')
  const { schema: evmSchema } = await compileProtos([evm])
  const { compile } = compilerOf({ message: 'headrace.evm.Transaction', descriptors: evmSchema!.descriptors })
  // The fields of a transfer are not those of a transaction.
  const ofTransactions = examples.filter((text) => !text.includes('value.To'))
  expect(ofTransactions.length).toBeGreaterThan(4)
  for (const text of ofTransactions) expect(() => compile(text.replaceAll('…', '00'))).not.toThrow()
})

describe('the index of filters', () => {
  it('tests a filter only for records that have one of its values', () => {
    const compiler = compilerOf()
    const index = compiler.createIndex()
    const filters = Array.from({ length: 100 }, (_, number) =>
      compiler.compile(`key != "0x01" && (value.a_string == "s${number}" || value.an_int64 in [${number}, -1])`),
    )
    for (const filter of filters) index.add(filter)
    let keysRead = 0
    const match = (fields: object) => {
      keysRead = 0
      const record = recordOf(fields)
      return index.match({
        ...record,
        get key() {
          keysRead++
          return null
        },
      })
    }
    expect(match({ aString: 's7' })).toEqual([filters[7], filters[0]])
    expect(keysRead).toBe(2)
    expect(match({ aString: 's7', anInt64: 7n })).toEqual([filters[7]])
    expect(keysRead).toBe(1)
    expect(match({ aString: 'other', anInt64: 200n })).toEqual([])
    expect(keysRead).toBe(0)
    expect(match({ anInt64: -1n })).toHaveLength(100)
    for (const filter of filters.slice(1)) index.remove(filter)
    expect(match({ anInt64: -1n })).toEqual([filters[0]])
    expect(keysRead).toBe(1)
  })
})

it.each([
  ['value.a_double == 1152921504606846976', { aDouble: 2 ** 60 }],
  ['value.a_double == 0', { aDouble: -0 }],
  ['value.an_int64 == -9223372036854775808', { anInt64: -(2n ** 63n) }],
  ['value.a_uint64 == 18446744073709551615', { aUint64: 2n ** 64n - 1n }],
  ['value.some_bytes in ["0x", "0x01"]', {}],
  ['value.colour == "COLOUR_RED"', { colour: 1 }],
  ['value.labels.k == "v"', { labels: { k: 'v' } }],
  ['time == "2026-01-01T00:00:00.5Z"', {}],
  ['false || value.a_string == "a"', { aString: 'a' }],
])('the index finds %s', (text, fields) => {
  const compiler = compilerOf()
  const index = compiler.createIndex()
  const filter = compiler.compile(text)
  index.add(filter)
  expect(index.match(recordOf(fields))).toEqual([filter])
  expect(index.match(recordOf({ aDouble: 1, aString: 'b', someBytes: Buffer.of(2) }, { time: 1 }))).toEqual([])
})

describe('an invalid filter', () => {
  it.each([
    ['', 1, 'found the end, where a field'],
    ['value.a_string == ', 19, 'found the end'],
    ['value.a_string = "a"', 16, 'write "=="'],
    ['value.a_bool and value.yes', 14, 'For "and", write "&&".'],
    ['(value.a_bool', 14, 'closes the "(" at column 1'],
    ['value.a_string == "a', 19, 'no closing quote'],
    ['value.a_string == "\\d"', 20, 'the escape "\\d"'],
    ['value.a_string == "\\ud800"', 20, 'the escape'],
    ['value.an_int32 + 1 == 2', 16, 'do not calculate'],
    ['value.an_int32 == 1x', 19, '"1x", which is not a number'],
    ['1 < value.an_int32 < 5', 20, 'a comparison has two sides'],
    ['value.a_strin == "a"', 7, 'no field "a_strin" in Wide. Did you mean "a_string"? Its fields are a_double, '],
    ['value.inner.nam == "a"', 13, 'no field "nam" in Inner. Did you mean "name"?'],
    ['a_string == "a"', 1, 'The field of the message is "value.a_string".'],
    ['valu.a_string == "a"', 1, 'Did you mean "value"? There are value, key, time, op, unit.'],
    ['value.__proto__ == 1', 7, 'no field "__proto__"'],
    ['value.a_string.length == 1', 16, 'value.a_string is a string, and has no fields'],
    ['value.a_string == 5', 19, 'found 5, but value.a_string is a string. Compare it with text in quotes.'],
    ['5 == value.a_string', 1, 'found 5, but value.a_string is a string.'],
    ['value.an_int32 == "5"', 19, 'Compare it with a number without quotes'],
    ['value.some_bytes == "0xabc"', 21, 'an even number of hexadecimal digits'],
    ['value.colour == "COLOUR_REDD"', 17, 'no value "COLOUR_REDD" in Colour. Did you mean "COLOUR_RED"?'],
    ['value.colour < "COLOUR_RED"', 7, 'has no order'],
    ['value.a_bool < true', 7, 'has no order'],
    ['value.an_int32 == null', 19, 'To test whether a field is set, use has().'],
    ['value.an_int32 == value.a_string', 25, 'which is a string'],
    ['value.ts == "yesterday"', 13, 'Compare it with a time'],
    ['value.ts > timestamp("2026-02-30T00:00:00Z")', 22, 'not a time of RFC 3339'],
    ['op == "delete"', 7, 'Compare it with "append" or "revert"'],
    ['int(value.an_int32) == 5', 1, 'int() has one field that is a string'],
    ['"a" == "b"', 5, 'both sides are constants'],
    ['value.inner == 5', 7, 'a message (Inner), which cannot be compared'],
    ['value.texts == "a"', 7, 'Look at its items with exists() or "in".'],
    ['value.labels[] == "a"', 13, '"[" and "]" must contain one expression, and not 0'],
    ['value.labels["a", "b"] == "a"', 13, 'and not 2'],
    ['() && true', 1, 'and not 0'],
    ['has()', 1, 'has() has one field'],
    ['value.texts.exists(x)', 13, 'exists() has a name and a condition'],
    ['value.texts[0] == "a"', 12, 'To look at its items, use exists().'],
    ['value.took == "5s"', 7, 'can only be tested with has()'],
    ['value.a_string', 7, 'where a condition is expected'],
    ['size(value.a_string)', 1, 'where a condition is expected'],
    ['has(value)', 1, 'has() has one field'],
    ['value.texts.all(x, x == "a")', 13, 'no function "all". There are has, exists'],
    ['value.a_string.matches("a+")', 16, 'no function "matches"'],
    ['value.a_string.contain("a")', 16, 'Did you mean "contains"?'],
    ['value.texts.exists(x, value.numbers.exists(y, y == size(x)))', 29, 'only lists of its variable (x)'],
    ['value.texts.exists(x, x in value.texts)', 34, 'only lists of its variable'],
    [`value.a_string.contains("${'a'.repeat(129)}")`, 25, 'at most 128 bytes'],
    [`${'('.repeat(33)}true${')'.repeat(33)}`, 33, 'nested more than 32 deep'],
    [`${' '.repeat(2048)}true`, 2049, 'has 2052 characters'],
    [`value.texts.exists(x, ${Array(32).fill('x == "a"').join(' || ')})`, 397, 'at most 32 conditions'],
  ])('%s', (text, column, message) => {
    const error = expect.objectContaining({ code: 'invalid_filter', column, message: expect.stringContaining(message) })
    expect(() => compilerOf().compile(text)).toThrow(error)
  })
})
