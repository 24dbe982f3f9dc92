import { type Header, type QueueRecord, RetryableError } from '@headrace/queue'
import avsc from 'avsc'
import { expect, test } from 'vitest'
import type { Adoption } from '../adoption/adoption.ts'
import { withCursor } from '../record-json/record-envelope.ts'
import type { RegisteredSchema } from '../schema-registry/registry-client.ts'
import { UnknownSchemaError } from '../schema-registry/registry-error.ts'
import { createTopicFormat } from './create-topic-format.ts'
import { compileRegistered } from './registered-protos.ts'
import type { TopicFormat } from './topic-format.ts'

const common = { topic: 'orders', framing: 'raw', keyForm: 'string', bytes: 'hex', partitions: 1 } as const

const recordOf = (value: Uint8Array | string | null, headers: Header[] = [], key: Uint8Array | null = null) =>
  ({
    ...{ topic: 'orders', partition: 0, offset: 0n, time: 0, headers, key },
    value: typeof value === 'string' ? Buffer.from(value) : value,
  }) satisfies QueueRecord

const shown = (format: TopicFormat, record: QueueRecord, fields?: string) => {
  const renderer = format.createRenderer(fields === undefined ? {} : { fields: format.parseFields(fields) })
  const text = Buffer.from(withCursor(renderer.render(record), '')).toString()
  return { text, ...(JSON.parse(text) as { key: string | null; value: unknown; error?: { message: string } }) }
}
const matches = (format: TopicFormat, filter: string, record: QueueRecord) =>
  format.createFilterCompiler().compile(filter).matches(record)

/** A schema registry, as far as it is read. `down` makes it unavailable. */
function createRegistry(schemas: Record<string, Partial<RegisteredSchema>>) {
  const asked: (number | string)[] = []
  const state = { down: false, asked }
  const read = async (id: number | string): Promise<RegisteredSchema> => {
    asked.push(id)
    if (state.down) throw new RetryableError('schema_registry_unavailable', 'it is down')
    const found = schemas[id]
    if (!found) throw new UnknownSchemaError(`no ${id}`)
    return { type: 'AVRO', references: [], referenced: new Map(), text: '', ...found }
  }
  return { state, context: { schemaRegistry: () => ({ readById: read, readByGuid: read }) as never } }
}
const framed = (id: number, ...rest: Uint8Array[]) => {
  const prefix = Buffer.alloc(5)
  prefix.writeInt32BE(id, 1)
  return Buffer.concat([prefix, ...rest])
}

test('JSON is rendered as it was written, without line breaks', () => {
  const format = createTopicFormat({ ...common, format: 'json' })
  const value = '{ "id": 90071992547409931.50,\n\t"a": "\\u00e9\\n", "a": 1e999 }'
  expect(shown(format, recordOf(value)).text).toContain(`"value":${value.replace('\n', ' ')},"cursor"`)
  expect(shown(format, recordOf(value), 'id').text).toContain('"value":{"id": 90071992547409931.50},"cursor"')
  expect(shown(format, recordOf('[1]'), 'id').value).toEqual({})
  for (const wrong of ['NaN', '', '{"a":1}x', "{'a':1}"])
    expect(shown(format, recordOf(wrong)), wrong).toMatchObject({ value: null, error: { code: 'decode_failed' } })
  expect(shown(format, recordOf(null))).toMatchObject({ value: null })
})

test.each([
  ['string', 'order-1', 'order-1'],
  ['string', '\xff', '0xff'],
  ['int', '\x00\x00\x00\x07', '7'],
  ['int', '\xff\xff\xff\xff\xff\xff\xff\xff', '-1'],
  ['int', 'abc', '0x616263'],
  ['bytes', 'a', '0x61'],
] as const)('a key of the form %s is rendered', (keyForm, key, json) => {
  const format = createTopicFormat({ ...common, keyForm, format: 'json' })
  expect(shown(format, recordOf('1', [], Buffer.from(key, 'latin1'))).key).toBe(json)
})

test('JSON is filtered by what it contains', () => {
  const format = createTopicFormat({ ...common, format: 'json' })
  const value =
    '{"id":9007199254740993,"name":"é","on":true,"none":null,"at":"2026-01-31T12:00:00Z","tags":["a","b"],' +
    '"items":[{"price":5},{"price":7.5,"tags":["x"]}],"odd name":{"a":"A"},"last":1,"last":2}'
  const record = recordOf(value, [], Buffer.from('k'))
  const holding = [
    'value.id == 9007199254740993',
    'value.id > 9007199254740992',
    'value.name == "é" && value.on && !(value.none != null)',
    'value.at >= timestamp("2026-01-31T12:00:00Z")',
    '"a" in value.tags && value.name in ["x", "é"] && "id" in value',
    'value.items.exists(i, i.price > 7 && "x" in i.tags)',
    'value["odd name"].a == "A" && value.items[1].price == 7.5',
    'size(value.tags) == 2 && size(value.name) == 1 && value.name.contains("é")',
    'has(value.id) && !has(value.missing) && key == "k"',
    'value.id != "text" && value.last == 2',
    'value.missing == 1 || value.id != 0',
  ]
  for (const filter of holding) expect(matches(format, filter, record), filter).toBe(true)
  const failing = [
    'value.id == 9007199254740992',
    'value.missing == 1',
    'value.missing != 1',
    '!(value.missing == 1)',
    'value.name > 5',
    'value.items == "x"',
    'value.tags.exists(t, t == "c")',
    'has(value.id.a)',
    'value.tags[2] == "c"',
  ]
  for (const filter of failing) expect(matches(format, filter, record), filter).toBe(false)
  for (const filter of ['value.id == 1', '!(value.id == 1)', 'value.id != 1'])
    for (const wrong of ['NaN', null]) expect(matches(format, filter, recordOf(wrong)), filter).toBe(false)
  expect(() => format.createFilterCompiler().compile('value')).not.toThrow()
  expect(() => format.createFilterCompiler().compile('value[-1] == 1')).toThrow(/name of a member/)
})

test('a thousand filters of JSON are found by the value that they name', () => {
  const compiler = createTopicFormat({ ...common, format: 'json' }).createFilterCompiler()
  const index = compiler.createIndex()
  const filters = Array.from({ length: 1000 }, (_, n) => compiler.compile(`value.to == "${n}"`))
  for (const filter of filters) index.add(filter)
  expect(index.match(recordOf('{"to":"17"}'))).toEqual([filters[17]])
  expect(index.match(recordOf('{"to":17}'))).toEqual([])
  expect(index.match(recordOf('broken'))).toEqual([])
})

const orderV1 = { type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }] } as const
const orderV2 = { ...orderV1, fields: [...orderV1.fields, { name: 'name', type: 'string', default: '?' }] } as const
const avro: Adoption = {
  ...common,
  format: 'avro',
  framing: 'confluent',
  schema: JSON.stringify(orderV2),
  schemaRegistry: 'http://r',
}
const avroValue = (schema: object, value: unknown) => avsc.Type.forSchema(schema as avsc.Schema).toBuffer(value)

test('each Avro value is read with the schema that it was written with', async () => {
  const { state, context } = createRegistry({
    1: { text: JSON.stringify(orderV1) },
    2: { text: JSON.stringify(orderV2) },
    3: { text: JSON.stringify({ ...orderV1, name: 'Refund' }) },
    4: { text: '{"type":"nothing"}' },
    '01020304-0506-0708-090a-0b0c0d0e0f10': { text: JSON.stringify(orderV1) },
  })
  const format = createTopicFormat(avro, context)
  const header = { key: '__value_schema_id', value: Buffer.from('010102030405060708090a0b0c0d0e0f10', 'hex') }
  const old = avroValue(orderV1, { id: 7 })
  const records = [
    recordOf(framed(1, old)),
    recordOf(framed(2, avroValue(orderV2, { id: 8, name: 'b' }))),
    recordOf(framed(3, old)),
    recordOf(old, [header]),
    recordOf(framed(4, old)),
    recordOf(framed(5, old)),
    recordOf(old),
    recordOf(Buffer.of(0, 1)),
    recordOf(null),
  ]
  await format.prepare!(records)
  expect(
    records.map((record) => shown(format, record)).map(({ value, error }) => value ?? error?.message ?? null),
  ).toEqual([
    { id: '7', name: '?' },
    { id: '8', name: 'b' },
    { id: '7' },
    { id: '7', name: '?' },
    'its schema 4 cannot be used: the type "nothing" is unknown',
    'the schema registry has no schema 5',
    'the value begins with the byte 14, where the magic byte 0 is expected',
    'the value ends within the id of its schema',
    null,
  ])
  expect(format.prepare!(records)).toBeUndefined()
  expect(state.asked.filter((id) => id === 1)).toHaveLength(1)
  expect(matches(format, 'value.id == 8 && value.name == "b"', records[1]!)).toBe(true)
  expect(matches(format, 'value.name == "?"', records[0]!)).toBe(true)
  expect(shown(format, records[1]!, 'name').value).toEqual({ name: 'b' })
})

test('a registry that is away decides nothing', async () => {
  const { state, context } = createRegistry({ 1: { text: JSON.stringify(orderV1) } })
  const format = createTopicFormat(avro, context)
  const record = recordOf(framed(1, avroValue(orderV1, { id: 7 })))
  state.down = true
  await expect(format.prepare!([record])).rejects.toMatchObject({ code: 'schema_registry_unavailable' })
  expect(() => shown(format, record)).toThrow(RetryableError)
  state.down = false
  await format.prepare!([record])
  expect(shown(format, record).value).toEqual({ id: '7', name: '?' })
})

test('each protobuf message is found by its schema and its indexes', async () => {
  const text = (extra = '') =>
    `syntax = "proto3"; package shop; import "money.proto"; message Order { string id = 1; Money price = 2; ${extra} message Line { int64 n = 1; } } message Refund { string of = 1; }`
  const money = 'syntax = "proto3"; package shop; message Money { int64 cents = 1; }'
  const registered = { type: 'PROTOBUF', references: [], referenced: new Map([['money.proto', money]]) } as const
  const { context } = createRegistry({
    1: { ...registered, text: text() },
    2: { ...registered, text: text('bool paid = 3;') },
    3: { ...registered, referenced: new Map(), text: text() },
    4: { type: 'AVRO', text: '"string"' },
  })
  const { schema } = await compileRegistered({ ...registered, text: text() })
  const adoption: Adoption = {
    ...{ ...common, format: 'protobuf', framing: 'confluent', message: 'shop.Order', descriptors: schema.descriptors },
    schemaRegistry: 'http://r',
  }
  const format = createTopicFormat(adoption, context)
  const order = Buffer.from('0a0161120208051801', 'hex')
  const values = [
    framed(1, Buffer.of(0), order),
    framed(2, Buffer.of(0), order),
    framed(1, Buffer.of(2, 2), Buffer.from('0a0162', 'hex')),
    framed(1, Buffer.of(4, 0, 0), Buffer.from('0807', 'hex')),
    framed(1, Buffer.of(2, 9), order),
    framed(3, Buffer.of(0), order),
    framed(4, Buffer.of(0), order),
  ].map((value) => recordOf(value))
  await format.prepare!(values)
  expect(values.map((record) => shown(format, record)).map(({ value, error }) => value ?? error!.message)).toEqual([
    { id: 'a', price: { cents: '5' } },
    { id: 'a', price: { cents: '5' }, paid: true },
    { of: 'b' },
    { n: '7' },
    expect.stringContaining('no message at the indexes'),
    expect.stringContaining('money.proto'),
    expect.stringContaining('it is of type AVRO'),
  ])
  expect(values.map((record) => matches(format, 'value.price.cents == 5', record))).toEqual([
    ...[true, true, false, false, false, false, false],
  ])
  const withoutRegistry = createTopicFormat({ ...adoption, schemaRegistry: undefined } as never)
  expect(shown(withoutRegistry, values[1]!).value).toEqual({ id: 'a', price: { cents: '5' } })
  const raw = createTopicFormat({ ...adoption, framing: 'raw' })
  expect(shown(raw, recordOf(order), 'id').value).toEqual({ id: 'a' })
})
