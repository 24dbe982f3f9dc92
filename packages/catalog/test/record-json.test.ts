import { join } from 'node:path'
import type { DescMessage, JsonValue } from '@bufbuild/protobuf'
import {
  compileProtos,
  createRecordRenderer,
  type SchemaSet,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { arbitraryMessage } from './support/arbitrary-message.ts'
import { emptyValue, protobufEsJson } from './support/protobuf-es-json.ts'

const root = join(import.meta.dirname, 'protos')

describe('createRecordRenderer', () => {
  let schema: SchemaSet
  let wide: DescMessage
  let render: (value: Uint8Array) => { value: JsonValue; error?: { code: string }; raw?: string }

  beforeAll(async () => {
    const compiled = await compileProtos([join(root, 'wide.proto')], { root })
    schema = compiled.schema!
    wide = schema.message('headrace.test.wide.Wide')!
    const renderer = createRecordRenderer(registration(schema))
    render = (value) => {
      const { cursor: _, ...rendered } = parse(withCursor(renderer.render({ ...record, value }), 'AQ'))
      expect(renderer.read({ ...record, value })).toEqual(rendered)
      return rendered
    }
  })

  it('renders as protobuf-es does, for any encoding of the message', () => {
    let rendered = 0
    let refused = 0
    fc.assert(
      fc.property(arbitraryMessage(wide), (value) => {
        const expected = protobufEsJson(schema, wide, value)
        if (expected === emptyValue) return
        const { value: found, error } = render(value)
        if (expected === undefined) refused++
        else rendered++
        expect(error).toEqual(expected === undefined ? expect.objectContaining({ code: 'decode_failed' }) : undefined)
        expect(found).toEqual(expected ?? null)
      }),
      { numRuns: 3000 },
    )
    expect(rendered).toBeGreaterThan(300)
    expect(refused).toBeGreaterThan(100)
  })

  it('renders the bytes of a value that is not a message', () => {
    const damaged = fc
      .tuple(arbitraryMessage(wide), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat())
      .map(([bytes, changes, cut]) => {
        const copy = Uint8Array.from(bytes)
        for (const [at, byte] of changes) if (copy.length > 0) copy[at % copy.length] = byte
        return copy.subarray(0, copy.length - (cut % 4 === 0 ? cut % (copy.length + 1) : 0))
      })
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })), (value) => {
        const json = render(value)
        if (json.error) expect(json).toMatchObject({ value: null, raw: Buffer.from(value).toString('base64') })
        else expect(json.value).toBeTypeOf('object')
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['a string', [14]],
    ['an optional string', [21]],
    ['a member of a oneof', [40]],
    ['an item of a list', [52]],
    ['a key of a map', [60, 1]],
    ['a value of a map', [60, 2]],
    ['a string of another message', [30, 1]],
    ['a name in a Struct', [73, 1, 1]],
    ['a string of a Value', [74, 3]],
    ['a StringValue', [84, 1]],
    ['a path of a FieldMask', [76, 1]],
    ['the type of an Any', [72, 1]],
  ])('refuses bytes that are not UTF-8 in %s', (_where, path) => {
    const inField = (text: number[]) => {
      let bytes: Uint8Array = Uint8Array.from(text)
      for (const number of path.toReversed())
        bytes = Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length), ...bytes])
      return bytes
    }
    for (const text of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x61, 0x80]])
      expect(render(inField(text))).toMatchObject({ value: null, error: { code: 'decode_failed' } })
    if (path[0] !== 72) expect(render(inField([0xc3, 0xa9]))).not.toHaveProperty('error')
  })

  it('uses the last of several occurrences of a field', () => {
    const bytes = [0x72, 1, 0xff, 0x72, 1, 0x61, 0xc2, 0x02, 1, 0x62, 0xc8, 0x02, 7]
    expect(render(Uint8Array.from(bytes)).value).toMatchObject({ a_string: 'a', picked_number: '7' })
    expect(render(Uint8Array.from(bytes)).value).not.toHaveProperty('picked_text')
  })

  it('uses the last of the map entries with the same key', () => {
    const entry = (key: string, value: string) => {
      const inner = [10, key.length, ...Buffer.from(key), 18, value.length, ...Buffer.from(value)]
      return [0xe2, 0x03, inner.length, ...inner]
    }
    const keys = [0, 1, 1, 2, 2, ...Array.from({ length: 98 }, (_, index) => index), 5, 60, 97, 97]
    const value = Uint8Array.from(keys.flatMap((key, index) => entry(`${key}`, `${index}`)))
    const labels = Object.fromEntries(keys.map((key, index) => [`${key}`, `${index}`]))
    expect(render(value).value).toMatchObject({ labels })
  })

  it('refuses messages that are nested too deep', () => {
    let value = new Uint8Array(0)
    const nest = () => Buffer.concat([Buffer.from([0x12, ...varint(value.length)]), value])
    for (let depth = 0; depth < 200; depth++) value = nest()
    value = Buffer.concat([Buffer.from([0xf2, 0x01, ...varint(value.length)]), value])
    expect(render(value).error).toMatchObject({ code: 'decode_failed', message: expect.stringContaining('100 deep') })
  })
})

function parse(bytes: Uint8Array): { value: JsonValue; cursor: string; error?: { code: string }; raw?: string } {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function registration(schema: SchemaSet): TopicRegistration {
  return {
    topic: 'headrace.test.1_0_0.wide_Wide',
    lineage: 'headrace.test.1_0_0',
    instance: 'main',
    connector: { owner: 'headrace', package: 'test', version: '1.0.0' },
    message: 'headrace.test.wide.Wide',
    descriptors: schema.descriptors,
    bytes: 'base64',
    partitions: 1,
  }
}

const record = { topic: 'headrace.test.1_0_0.wide_Wide', partition: 0, offset: 1n, time: 0, key: null, headers: [] }
