import { join } from 'node:path'
import {
  compileProtos,
  createSystemTopics,
  encodeSchemaId,
  type FileSchema,
  fileSchema,
  followRegistry,
  readRegistry,
  registerTopics,
  type SchemaSet,
  schemaVersions,
  serializedFile,
  topicSchema,
} from '@headrace/catalog'
import type { Logger, Queue } from '@headrace/queue'
import { beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from './support/folder.ts'
import { createQueue } from './support/queue.ts'
import { block } from './support/registration.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

async function compile(files: Readonly<Record<string, string>>): Promise<SchemaSet> {
  const root = await createFolder(files)
  const { schema, problems } = await compileProtos(
    Object.keys(files).map((name) => join(root, name)),
    { root },
  )
  expect(problems).toEqual([])
  return schema!
}

describe('the schema of a file', () => {
  let schema: SchemaSet
  beforeAll(async () => {
    const root = join(import.meta.dirname, 'protos')
    schema = (await compileProtos([join(root, 'registry.proto')], { root })).schema!
  })
  const schemaOf = (message: string): FileSchema => fileSchema(schema.message(message)!.file)

  // The code of Confluent's registry (8.3) leaves these texts as they are, with and without normalization, and computes
  // these GUIDs from them and their references.
  it('has the text and the GUID that the registry of Confluent gives it', () => {
    const { text, guid, references, id } = schemaOf('headrace.test.registry.Outer')
    expect(text).toMatchSnapshot()
    expect(references).toEqual([{ name: 'shared/colour.proto', subject: expect.any(String), version: 1 }])
    expect({ guid, subject: references[0]!.subject }).toMatchInlineSnapshot(`
      {
        "guid": "339b055d-1bc1-ac23-3aa1-96f33cdd150d",
        "subject": "shared/colour.proto-5022b1d79443",
      }
    `)
    expect(id).toBe(Number.parseInt(guid.slice(0, 8), 16) % (2 ** 31 - 1))
  })

  it('does not depend on comments, layout and order of declaration of fields', async () => {
    const one = await compile({ 'a.proto': 'syntax = "proto3"; package a; message A { int32 x = 1; string y = 2; }' })
    const other = await compile({
      'a.proto': '// A file.\nsyntax = "proto3";\npackage a;\nmessage A {\n  string y = 2; // Why.\n  int32 x = 1;\n}',
    })
    const guid = fileSchema(one.message('a.A')!.file).guid
    expect(fileSchema(other.message('a.A')!.file).guid).toBe(guid)
    expect(Buffer.from(serializedFile(fileSchema(other.message('a.A')!.file))).toString()).not.toContain('Why')
  })

  it('changes with a file that it imports, whose subject is another then', async () => {
    const using = 'syntax = "proto3"; package a; import "b.proto"; message A { b.B b = 1; }'
    const schemas = await Promise.all(
      ['int32 x = 1;', 'int64 x = 1;'].map(async (field) => {
        const set = await compile({
          'a.proto': using,
          'b.proto': `syntax = "proto3"; package b; message B { ${field} }`,
        })
        return fileSchema(set.message('a.A')!.file)
      }),
    )
    expect(new Set(schemas.map(({ text }) => text)).size).toBe(1)
    expect(new Set(schemas.map(({ guid }) => guid)).size).toBe(2)
    expect(new Set(schemas.map(({ references }) => references[0]!.subject)).size).toBe(2)
  })

  it.each([
    ['Empty', [0]],
    ['Outer', [2, 2]],
    ['After', [2, 4]],
    ['Outer.Inner', [4, 2, 0]],
    ['Outer.Inner.Deep', [6, 2, 0, 0]],
  ])('is named in the header of a record of %s, with the place of the message', (name, indexes) => {
    const message = schema.message(`headrace.test.registry.${name}`)!
    const guid = Buffer.from(fileSchema(message.file).guid.replaceAll('-', ''), 'hex')
    expect(Buffer.from(encodeSchemaId(message))).toEqual(Buffer.from([1, ...guid, ...indexes]))
  })
})

describe('the schemas of a topic', () => {
  const register = async (queue: Queue, fields: string, version = '1.0.0') => {
    const { descriptors } = await compile({
      'a.proto': `syntax = "proto3"; package acme.evm; message Block { ${fields} }`,
    })
    const registration = { ...block, descriptors, connector: { ...block.connector, version } }
    await registerTopics(queue, [registration], { lastUnit: 1 })
    return topicSchema(registration).guid
  }
  const read = async (queue: Queue) => {
    const ending = new AbortController()
    const { registrations, earlierSchemas } = await followRegistry(queue, { signal: ending.signal, log: silent })
    ending.abort()
    const registration = registrations.get(block.topic)!
    const found = [registration, ...earlierSchemas.values()].map((one) => topicSchema(one).guid)
    return { versions: schemaVersions(registration), found: found.sort(), keys: [...earlierSchemas.keys()].sort() }
  }

  it('stay findable, keep their versions, and have each its own once', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const first = await register(queue, 'int32 a = 1;')
    expect(await read(queue)).toEqual({ versions: [first], found: [first], keys: [] })
    const second = await register(queue, 'int32 a = 1; int32 b = 2;')
    expect(await read(queue)).toMatchObject({ versions: [first, second], found: [first, second].sort(), keys: [first] })
    await register(queue, 'int32 a = 1; /* A comment. */ int32 b = 2;')
    const third = await register(queue, 'int32 a = 1; int32 b = 2; int32 c = 3;', '1.1.0')
    const { versions, found } = await read(queue)
    expect(versions).toEqual([first, second, third])
    expect(found).toEqual([first, second, third].sort())
    expect((await readRegistry(queue)).size).toBe(1)
  })

  it('are all kept if another run registers at the same time', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const first = await register(queue, 'int32 a = 1;')
    let second: string | undefined
    const raced: Queue = {
      ...queue,
      async append(records) {
        second ??= await register(queue, 'int32 a = 1; int32 b = 2;')
        await queue.append(records)
      },
    }
    const third = await register(raced, 'int32 a = 1; int32 b = 2; int32 c = 3;')
    const { versions, found } = await read(queue)
    expect(versions).toEqual([first, second, third])
    expect(found).toEqual([first, second, third].sort())
  })
})
