import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DescMessage, fromBinary, type JsonValue, toBinary } from '@bufbuild/protobuf'
import {
  compileProtos,
  createRecordRenderer,
  type SchemaSet,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createRandom, type Random } from '../../testbed/random.ts'
import { arbitraryMessage } from './support/arbitrary-message.ts'
import { emptyValue, protobufEsJson } from './support/protobuf-es-json.ts'
import { randomSchema } from './support/random-schema.ts'

const schemas = 60
const messagesOfEach = 40
const topic = 'random.random.1_0_0.random_First'
const record = { topic, partition: 0, offset: 1n, time: 0, key: null, headers: [] }

/** A schema with samples of its first message. */
interface Sampled {
  readonly proto: string
  readonly schema: SchemaSet
  readonly message: DescMessage
  readonly samples: readonly Uint8Array[]
  render(value: Uint8Array): Rendered
}

interface Rendered {
  readonly value: JsonValue
  readonly error?: { readonly code: string }
  readonly raw?: string
}

describe('records of random schemas', () => {
  let folder: string
  const sampled: Sampled[] = []
  // All tests share the schemas: compiling one takes longer than reading its samples.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-schemas-'))
    const random = createRandom(inject('faultSeed'))
    for (let count = 0; count < schemas; count++) {
      const proto = randomSchema(random)
      const schema = await compile(proto)
      const message = schema.message('random.First')!
      sampled.push({ proto, schema, message, samples: sampleOf(message, random), render: rendererOf(schema) })
    }
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('equal those of protobuf-es for any encoding', () => {
    let [rendered, refused] = [0, 0]
    forEachMessage(({ expected, found, what }) => {
      if (expected === undefined) refused++
      else rendered++
      expect(found.error, what).toEqual(
        expected === undefined ? expect.objectContaining({ code: 'decode_failed' }) : undefined,
      )
      expect(found.value, what).toEqual(expected ?? null)
    })
    expect(rendered).toBeGreaterThan(schemas * messagesOfEach * 0.3)
    expect(refused).toBeGreaterThan(10)
  })

  it('equal those of protobuf-es for the encoding that encoders write', () => {
    let rendered = 0
    const inOrder = (bytes: Uint8Array, _random: Random, message: DescMessage) => {
      try {
        return toBinary(message, fromBinary(message, bytes))
      } catch {
        return new Uint8Array()
      }
    }
    forEachMessage(({ expected, found, what }) => {
      rendered++
      expect(found.value, what).toEqual(expected ?? null)
    }, inOrder)
    expect(rendered).toBeGreaterThan(schemas * messagesOfEach * 0.3)
  })

  it('are refused if they are truncated within a field, and rendered if between two', () => {
    let refused = 0
    const cut = (bytes: Uint8Array, random: Random) => bytes.subarray(0, random.integer(bytes.length + 1))
    forEachMessage(({ expected, found, what, bytes }) => {
      expect(found.value, what).toEqual(expected ?? null)
      if (expected !== undefined) return
      refused++
      expect(found, what).toMatchObject({
        error: expect.objectContaining({ code: 'decode_failed' }),
        raw: Buffer.from(bytes).toString('base64'),
      })
    }, cut)
    expect(refused).toBeGreaterThan(schemas * messagesOfEach * 0.3)
  })

  it('are rendered with their bytes or as JSON after any damage', () => {
    const outcomes = { rendered: 0, refused: 0 }
    forEachMessage(({ found, what, bytes }) => {
      if (found.error) {
        outcomes.refused++
        expect(found, what).toMatchObject({ value: null, raw: Buffer.from(bytes).toString('base64') })
      } else {
        outcomes.rendered++
        expect(found.value, what).toBeTypeOf('object')
      }
    }, damaged)
    expect(outcomes.rendered).toBeGreaterThan(100)
    expect(outcomes.refused).toBeGreaterThan(100)
  })

  it('have only the chosen fields', () => {
    const random = createRandom(inject('faultSeed'))
    let rendered = 0
    for (const { proto, schema, message, samples, render } of sampled) {
      const fields = message.fields.map(({ name }) => name).filter(() => random.integer(3) === 0)
      const renderChosen = rendererOf(schema, fields)
      for (const sample of samples) {
        const whole = render(sample)
        if (whole.error) continue
        const chosen = Object.entries(whole.value as object).filter(([name]) => fields.includes(name))
        const found = renderChosen(sample).value as object
        expect(Object.entries(found), `${proto}\n${fields}\n${Buffer.from(sample).toString('hex')}`).toEqual(chosen)
        rendered += chosen.length
      }
    }
    expect(rendered).toBeGreaterThan(schemas * messagesOfEach)
  })

  interface Check {
    readonly expected: JsonValue | undefined
    readonly found: Rendered
    readonly bytes: Uint8Array
    /** The schema and the bytes, for the message of a failure. */
    readonly what: string
  }

  function forEachMessage(
    check: (check: Check) => void,
    change: (bytes: Uint8Array, random: Random, message: DescMessage) => Uint8Array = (bytes) => bytes,
  ): void {
    const random = createRandom(inject('faultSeed'))
    for (const { proto, schema, message, samples, render } of sampled)
      for (const sample of samples) {
        const bytes = change(sample, random, message)
        const expected = protobufEsJson(schema, message, bytes)
        if (expected === emptyValue) continue
        check({ expected, found: render(bytes), bytes, what: `${proto}\n${Buffer.from(bytes).toString('hex')}` })
      }
  }

  async function compile(proto: string): Promise<SchemaSet> {
    const file = join(folder, 'random.proto')
    await writeFile(file, proto)
    const { schema, problems } = await compileProtos([file])
    expect(problems, proto).toEqual([])
    return schema!
  }
})

function sampleOf(message: DescMessage, random: Random): Uint8Array[] {
  return fc.sample(arbitraryMessage(message), { numRuns: messagesOfEach, seed: random.integer(2 ** 31) })
}

function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(bytes)
  for (let left = random.integer(4); left >= 0 && copy.length > 0; left--)
    copy[random.integer(copy.length)] = random.pick([0, 0x7f, 0x80, 0xff, random.integer(256)])
  return copy
}

function rendererOf(schema: SchemaSet, fields?: readonly string[]): (value: Uint8Array) => Rendered {
  const registration: TopicRegistration = {
    topic,
    lineage: 'random.random.1_0_0',
    instance: 'main',
    connector: { owner: 'random', package: 'random', version: '1.0.0' },
    message: 'random.First',
    descriptors: schema.descriptors,
    bytes: 'base64',
    partitions: 1,
  }
  const renderer = createRecordRenderer(registration, fields && { fields })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (value) => {
    const { cursor: _, ...rendered } = JSON.parse(
      decoder.decode(withCursor(renderer.render({ ...record, value }), 'AQ')),
    )
    expect(renderer.read({ ...record, value })).toEqual(rendered)
    return rendered
  }
}
