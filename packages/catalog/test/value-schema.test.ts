import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DescMessage } from '@bufbuild/protobuf'
import {
  compileProtos,
  createRecordRenderer,
  createValueSchema,
  type JsonSchema,
  type SchemaSet,
  withCursor,
} from '@headrace/catalog'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import { arbitraryMessage } from './support/arbitrary-message.ts'
import { createFolder } from './support/folder.ts'
import { randomSchema } from './support/random-schema.ts'

const root = join(import.meta.dirname, 'protos')
let schema: SchemaSet
let wide: DescMessage

beforeAll(async () => {
  schema = (await compileProtos([join(root, 'wide.proto')], { root })).schema!
  wide = schema.message('headrace.test.wide.Wide')!
})

describe.each(['hex', 'base64'] as const)('createValueSchema, with bytes as %s,', (bytes) => {
  it('matches every rendered value, and has all of its members', () => {
    const validator = newValidator()
    const validate = validator.compile(closed(createValueSchema(wide, bytes)))
    const render = renderer(schema, wide, bytes)
    let rendered = 0
    fc.assert(
      fc.property(arbitraryMessage(wide), (message) => {
        const value = render(message)
        if (value === null) return
        rendered++
        if (!validate(value)) throw new Error(`${validator.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
      }),
      { numRuns: 2000 },
    )
    expect(rendered).toBeGreaterThan(200)
  })

  it('does not match a value without a member or with another form of it', () => {
    const validate = newValidator().compile(createValueSchema(wide, bytes))
    const value = renderer(schema, wide, bytes)(new Uint8Array(0)) as Record<string, unknown>
    expect(validate(value)).toBe(true)
    for (const name of Object.keys(value)) {
      const { [name]: _, ...others } = value
      expect([name, validate(others)]).toEqual([name, false])
      expect([name, validate({ ...value, [name]: { strange: 1 } })]).toEqual([name, isMap(name)])
    }
    const wrong = {
      an_int64: '1.5',
      a_uint64: '-1',
      an_int32: 2 ** 31,
      some_bytes: '0xabc',
      colour: 'MAUVE',
      ts: 'now',
    }
    for (const [name, other] of Object.entries(wrong))
      expect([name, validate({ ...value, [name]: other })]).toEqual([name, false])
  })
})

it('a value schema has comments as descriptions, and no other form because of them', async () => {
  const compile = async (comment: (text: string) => string) => {
    const folder = await createFolder({
      'a.proto': `syntax = "proto3";
${comment('A thing.')}
message Thing {
  ${comment('Its name.')}
  string name = 1;
  ${comment('Its parts.')}
  repeated Thing parts = 2;
  State state = 3;
}
${comment('What it is.')}
enum State {
  UNKNOWN = 0;
  ${comment('It is new.')}
  NEW = 1;
}`,
    })
    const { schema } = await compileProtos([join(folder, 'a.proto')])
    return createValueSchema(schema!.message('Thing')!, 'hex')
  }
  const described = await compile((text) => `// ${text}`)
  expect(described.$defs).toMatchObject({
    Thing: {
      description: 'A thing.',
      properties: {
        name: { type: 'string', description: 'Its name.' },
        parts: { type: 'array', items: { $ref: '#/$defs/Thing' }, description: 'Its parts.' },
        state: { $ref: '#/$defs/State' },
      },
    },
    State: { description: 'What it is.\n\nNEW: It is new.' },
  })
  newValidator().compile(described)
  const plain = JSON.stringify(described, (key, value) => (key === 'description' ? undefined : value))
  expect(JSON.parse(plain)).toEqual(await compile(() => ''))
})

it('a value schema matches every rendered value of random schemas', async () => {
  const random = createRandom(inject('faultSeed'))
  const folder = await mkdtemp(join(tmpdir(), 'headrace-value-schemas-'))
  const file = join(folder, 'random.proto')
  let rendered = 0
  for (let count = 0; count < 40; count++) {
    const proto = randomSchema(random)
    await writeFile(file, proto)
    const compiled = (await compileProtos([file])).schema!
    const message = compiled.message('random.First')!
    const validator = newValidator()
    const validate = validator.compile(closed(createValueSchema(message, 'hex')))
    const render = renderer(compiled, message, 'hex')
    const samples = fc.sample(arbitraryMessage(message), { numRuns: 40, seed: random.integer(2 ** 31) })
    for (const value of samples.map(render)) {
      if (value === null) continue
      rendered++
      const problem = validate(value) ? '' : validator.errorsText(validate.errors)
      expect(problem, `${JSON.stringify(value)}\n${proto}`).toBe('')
    }
  }
  await rm(folder, { recursive: true })
  expect(rendered).toBeGreaterThan(400)
})

function newValidator(): Ajv2020 {
  return new Ajv2020({ validateFormats: false, strict: true, allowUnionTypes: true })
}

/** The field `values` is a map with values of any type, so its schema accepts any member. */
function isMap(name: string): boolean {
  return name === 'values'
}

function renderer(
  { descriptors }: SchemaSet,
  message: DescMessage,
  bytes: 'hex' | 'base64',
): (message: Uint8Array) => unknown {
  const topic = 'headrace.test.1_0_0.wide_Wide'
  const { render } = createRecordRenderer({
    topic,
    lineage: 'headrace.test.1_0_0',
    instance: 'main',
    connector: { owner: 'headrace', package: 'test', version: '1.0.0' },
    message: message.typeName,
    descriptors,
    bytes,
    partitions: 1,
  })
  const record = { topic, partition: 0, offset: 1n, time: 0, key: null, headers: [] }
  return (value) => JSON.parse(Buffer.from(withCursor(render({ ...record, value }), 'AQ')).toString()).value
}

/** The schema, with objects that allow only the named members. */
function closed(schema: JsonSchema): JsonSchema {
  const definitions = Object.entries(schema.$defs as Record<string, JsonSchema>).map(([name, definition]) => {
    return [name, definition.type === 'object' ? { ...definition, additionalProperties: false } : definition] as const
  })
  return { ...schema, $defs: Object.fromEntries(definitions) }
}
