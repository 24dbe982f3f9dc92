import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Header } from '@headrace/queue'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeAt, encodeReverts } from '../record-header/record-header.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { withCursor } from './record-envelope.ts'
import { parseFields } from './record-fields.ts'
import { createRecordRenderer } from './record-renderer.ts'

const topic = 'headrace.evm.1_0_0.ethereum_Block'
let schema: SchemaSet

beforeAll(async () => {
  schema = (await compileProtos([join(import.meta.dirname, '../../test/protos/block.proto')])).schema!
})

const registration = (change: Partial<TopicRegistration> = {}): TopicRegistration => ({
  topic,
  lineage: 'headrace.evm.1_0_0',
  instance: 'ethereum',
  connector: { owner: 'headrace', package: 'evm', version: '1.0.0' },
  message: 'headrace.test.Block',
  descriptors: schema.descriptors,
  key: 'Hash',
  bytes: 'hex',
  partitions: 1,
  ...change,
})
const block = (fields: object = {}) => {
  const message = schema.message('headrace.test.Block')!
  return toBinary(message, create(message, fields as never))
}
const render = (
  record: { key?: Uint8Array | null; value?: Uint8Array | null; headers?: Header[]; time?: number },
  change?: Partial<TopicRegistration>,
) => {
  const whole = { topic, partition: 0, offset: 41_467n, time: 0, key: null, value: null, headers: [], ...record }
  const renderer = createRecordRenderer(registration(change))
  const text = Buffer.from(withCursor(renderer.render(whole), 'AbC')).toString()
  expect({ ...renderer.read(whole), cursor: 'AbC' }).toEqual(JSON.parse(text))
  return text
}
const at = { key: 'at', value: encodeAt(20_731, 20_734) }

describe('createRecordRenderer', () => {
  it('renders a record member by member, the cursor last', () => {
    const seconds = BigInt(Date.UTC(2026, 7, 21, 10) / 1000)
    const ts = { $typeName: 'google.protobuf.Timestamp', seconds, nanos: 0 }
    const value = block({ ts, Hash: '0xab', Number: 21_000_000n, Miner: Uint8Array.of(0, 255) })
    const text = render({ key: Buffer.from('0xab'), value, headers: [at], time: Number(seconds) * 1000 })
    expect(text).toBe(
      `{"topic":"${topic}","partition":0,"seq":"20734","unit":"20731","offset":"41467","time":"2026-08-21T10:00:00Z",` +
        '"key":"0xab","op":"append","value":{"ts":"2026-08-21T10:00:00Z","Hash":"0xab","Number":"21000000",' +
        '"Miner":"0x00ff","signed":"0"},"cursor":"AbC"}',
    )
  })

  it('renders which record a revert reverts', () => {
    const headers = [at, { key: 'op', value: Buffer.from('revert') }, { key: 'reverts', value: encodeReverts(20_730) }]
    expect(render({ value: block(), headers })).toContain('"op":"revert","reverts":"20730","value":{')
  })

  it('renders a record that a foreign producer wrote', () => {
    expect(render({ value: block() })).toContain('"seq":null,"unit":null,')
  })

  it('renders milliseconds only if there are any', () => {
    expect(render({ time: 1 })).toContain('"time":"1970-01-01T00:00:00.001Z"')
    expect(render({ time: 951_782_400_000 })).toContain('"time":"2000-02-29T00:00:00Z"')
  })

  it('limits a time to the range of RFC 3339', () => {
    expect(render({ time: -1 })).toContain('"time":"1970-01-01T00:00:00Z"')
    expect(render({ time: Number.MAX_SAFE_INTEGER })).toContain('"time":"9999-12-31T23:59:59Z"')
  })

  it('renders a message that could not be produced with an error', () => {
    const error = { key: 'error', value: Buffer.from('record_too_large: 2 MiB') }
    expect(render({ headers: [at, error] })).toContain('"value":null,"error":{"code":"produce_failed"},"cursor"')
  })

  it('renders a value that is not a message with an error and its bytes', () => {
    expect(render({ value: Uint8Array.of(255), headers: [at] })).toContain(
      '"value":null,"error":{"code":"decode_failed","message":"a varint has no end"},"raw":"/w==","cursor"',
    )
  })

  it('continues after a value that is not a message', () => {
    const renderer = createRecordRenderer(registration())
    const record = { topic, partition: 0, offset: 1n, time: 0, key: null, headers: [] }
    const before = renderer.render({ ...record, value: block({ Hash: 'a' }) })
    renderer.render({ ...record, value: Uint8Array.of(10, 200) })
    expect(renderer.render({ ...record, value: block({ Hash: 'a' }) })).toEqual(before)
  })

  it('renders a tombstone as null', () => {
    expect(render({ value: null })).toContain('"value":null,"cursor"')
  })

  it.each([
    ['a text', 'Hash', Buffer.from('ü"'), '"ü\\""'],
    ['a text that is none as bytes', 'Hash', Buffer.of(255), '"0xff"'],
    ['an unsigned integer', 'Number', Buffer.alloc(8, 255), '"18446744073709551615"'],
    ['a signed integer', 'signed', Buffer.alloc(8, 255), '"-1"'],
    ['an integer of another size as bytes', 'Number', Buffer.of(1, 2), '"0x0102"'],
    ['bytes', 'Miner', Buffer.of(1, 2), '"0x0102"'],
    ['no key', 'Hash', null, 'null'],
  ])('renders %s as the key', (_, field, key, json) => {
    expect(render({ key }, { key: field })).toContain(`"key":${json},`)
  })

  it('renders bytes in the form of the topic', () => {
    expect(
      render({ key: Buffer.of(255), value: block({ Miner: Uint8Array.of(255) }) }, { key: 'Miner', bytes: 'base64' }),
    ).toMatch(/"key":"\/w==".*"Miner":"\/w=="/)
    expect(render({ value: block() })).toContain('"Miner":"0x"')
    expect(render({ value: block() }, { bytes: 'base64' })).toContain('"Miner":""')
  })

  it('renders bytes of any length in hex', () => {
    for (const length of [1, 31, 32, 127, 128, 129, 70_000]) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 256))
      expect(render({ value: block({ Miner: bytes }) })).toContain(`"Miner":"0x${bytes.toString('hex')}"`)
    }
  })

  it('renders fields with the names of members that every object has', () => {
    const renamed = fromBinary(FileDescriptorSetSchema, schema.descriptors)
    const { field } = renamed.file.at(-1)!.messageType[0]!
    for (const [index, name] of ['__proto__', 'constructor', 'toString'].entries()) field[index + 1]!.name = name
    const value = block({ Hash: 'a', Number: 5n })
    expect(render({ value }, { descriptors: toBinary(FileDescriptorSetSchema, renamed), key: 'signed' })).toContain(
      '"value":{"__proto__":"a","constructor":"5","toString":"0x","signed":"0"}',
    )
  })

  it('returns bytes that later records do not change', () => {
    const renderer = createRecordRenderer(registration())
    const record = { topic, partition: 0, offset: 1n, time: 0, key: null, headers: [] }
    const first = renderer.render({ ...record, value: block({ Hash: 'first' }) })
    const text = Buffer.from(first).toString()
    renderer.render({ ...record, value: block({ Hash: 'other' }) })
    expect(Buffer.from(first).toString()).toBe(text)
  })

  it('renders only some fields, in the order of the message', () => {
    const fields = parseFields(registration(), 'signed,Hash')
    const renderer = createRecordRenderer(registration(), { fields })
    const rendered = (value: Uint8Array) => {
      const record = { topic, partition: 0, offset: 1n, time: 0, key: null, headers: [at], value }
      return Buffer.from(renderer.render(record)).toString().split('"value":')[1]
    }
    expect(rendered(block({ Hash: 'a', Number: 5n, signed: -1n }))).toBe('{"Hash":"a","signed":"-1"}')
    expect(rendered(block({ Number: 5n }))).toBe('{"Hash":"","signed":"0"}')
    expect(rendered(Uint8Array.of(255))).toMatch(/^null,"error":{"code":"decode_failed",.*},"raw":"\/w=="$/)
  })

  it.each([
    ['Hash,Numbr', 'There is no field "Numbr" in Block. Did you mean "Number"? Its fields are ts, Hash, Number'],
    ['Hash,,Number', 'A name of a field is empty'],
    ['', 'A name of a field is empty'],
    ['Hash,Number,Hash', 'The field "Hash" is named twice'],
    ['__proto__', 'There is no field "__proto__"'],
  ])('refuses the fields "%s"', (text, message) => {
    const error = expect.objectContaining({ code: 'invalid_fields', message: expect.stringContaining(message) })
    expect(() => parseFields(registration(), text)).toThrow(error)
  })

  it('refuses a registration whose schema lacks the message', () => {
    expect(() => createRecordRenderer(registration({ message: 'Other' }))).toThrow(
      expect.objectContaining({ code: 'invalid_schema' }),
    )
  })
})
