import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fromJson, toBinary } from '@bufbuild/protobuf'
import { loadProject, type Project } from '@headrace/catalog'
import type { MessageCodec } from '@headrace/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateCode } from './generate-code.ts'
import { generateReaderTypes } from './reader-types.ts'

const reserved =
  'abstract any arguments as asserts async await bigint boolean break case catch class const constructor continue debugger declare default ' +
  'delete do else enum eval export extends false finally for from function get global if implements import in infer instanceof ' +
  'interface is keyof let message module namespace never new null number object of package private protected public readonly require ' +
  'return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield'
/** Names that the generated code uses or declares, or might. */
const own =
  'BinaryReader BinaryWriter Config DefinedSchema MessageFns Messages Option Partial Record Timestamp createBaseA ' +
  'defineSchema encode key protobufPackage schema v value writer'
const builtIn =
  'Array BigInt Boolean Buffer DataView Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy RegExp ' +
  'Set String Symbol Uint8Array console globalThis process'
/** Within one list, the entry types of maps with these names have distinct names. */
const lists = [reserved, own, builtIn].map((list) => list.split(' '))
const names = lists.flat()

const fields = `string a = 1; bytes b = 2; int64 c = 3; optional uint64 d = 4; repeated sint64 e = 5;
  map<string, int64> f = 6; map<int64, bytes> g = 7; oneof h { string i = 8; int64 j = 9; }
  google.protobuf.Timestamp k = 10; google.protobuf.Value l = 11; repeated google.protobuf.ListValue m = 12;`
const containing = (name: string) =>
  `.acme.${name} n = 20; repeated .acme.${name} o = 21; map<string, .acme.${name}> p = 22; oneof q { .acme.${name} r = 23; }`
/** A message whose generated code uses everything that any generated code uses, with fields of all other messages. */
const all = `message All { ${fields} ${names.map((name, index) => `.acme.${name} x${index} = ${100 + index};`).join('\n')} }\n`
const head = `syntax = "proto3";
package acme;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
`

let root: string
const projects: Record<'messages' | 'enums' | 'members' | 'twins', Project> = {} as never
beforeAll(async () => {
  const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  root = await mkdtemp(join(cache, 'code-names-'))
  const messages = names.map((name) => `message ${name} { string a = 1; ${containing(name)} }\n`)
  const enums = names.map(
    (name, index) => `enum ${name} { A${index} = 0; B${index} = 1; }\nmessage M${index} { ${containing(name)} }\n`,
  )
  const topics = names.map((name) => `acme.${name}`)
  projects.messages = await generate({ 'a.proto': `${head}${all}${messages.join('')}` }, ['acme.All', ...topics])
  projects.enums = await generate({ 'a.proto': `${head}${all}${enums.join('')}` }, [
    'acme.All',
    ...names.map((_, index) => `acme.M${index}`),
  ])
  projects.members = await generate({ 'a.proto': `${head}${members}` }, ['Fields', 'Members', 'Held'])
  projects.twins = await generate({ 'a.proto': `${head}${twins}`, 'b.proto': otherTwins }, twinTopics)
})
afterAll(() => rm(root, { recursive: true }))

/** Names of fields, members of oneofs, and values of enums. */
const numbered = (text: (name: string, index: number) => string) => names.map(text).join('\n')
const members = `
message Fields { ${numbered((name, index) => `int64 ${name} = ${index + 1};`)} }
message Members { oneof of_all { ${numbered((name, index) => `int64 ${name} = ${index + 1};`)} } }
${lists.map((list, at) => `message Maps${at} { ${list.map((name, index) => `map<string, int64> ${name} = ${index + 1};`).join('\n')} }`).join('\n')}
message Oneofs { ${numbered((name, index) => `oneof ${name} { int64 x${index} = ${2 * index + 1}; bytes y${index} = ${2 * index + 2}; }`)} }
message Held { E e = 1; }
enum E { ${numbered((name, index) => `${name} = ${index};`)} }
`

/** Types whose names in the generated code would be the same. */
const twins = `import "b.proto";
message Order { Line line = 1; message Line { int64 x = 1; enum Kind { A = 0; } Kind kind = 2; } map<string, int64> per = 2; }
message Order_Line { int64 y = 1; }
message Order_PerEntry { int64 z = 1; }
enum Order_Line_Kind { B = 0; }
message Date { message Inner { int64 x = 1; } Inner inner = 1; }
message DateMessage { Date date = 1; Limit limit = 2; other.Date far = 3; other.Order order = 4; }
message Limit { int64 x = 1; Order_Line_Kind kind = 2; }
`
const otherTwins =
  'syntax = "proto3";\npackage other;\nmessage Date { int64 x = 1; }\nmessage Order { Date date = 1; }\n'
const twinTopics = ['acme.Order', 'acme.Order.Line', 'acme.Order_Line', 'acme.Date', 'acme.Limit', 'other.Order']

/** Generates the code of a project in a new folder. */
async function generate(files: Readonly<Record<string, string>>, topics: readonly string[]): Promise<Project> {
  const dir = await mkdtemp(join(root, 'project-'))
  for (const [path, content] of Object.entries(files)) await writeFile(join(dir, path), content)
  const list = topics.map((message, index) => `  - { message: "${message}", name: names_${index} }\n`)
  const config = 'config: { properties: { limit: { $ref: "#/$defs/Limit" } }, $defs: { Limit: { type: object } } }\n'
  const manifest = `package: names\nowner: acme\nversion: 1.0.0\n${config}topics:\n${list.join('')}`
  await writeFile(join(dir, 'manifest.yaml'), manifest)
  const { project, problems } = await loadProject(dir)
  expect(problems).toEqual([])
  for (const { path, content } of await generateCode(project!)) {
    await mkdir(dirname(join(dir, 'out', path)), { recursive: true })
    await writeFile(join(dir, 'out', path), content)
  }
  await writeFile(join(dir, 'out/reader.ts'), readerTypes(project!))
  return project!
}

/** The types of some records, each in a namespace of its own, because their declarations have the same names. */
function readerTypes({ manifest, lineage, schema: { descriptors } }: Project): string {
  const { version, owner, package: name } = manifest
  const connector = { owner, package: name, version }
  const chosen = manifest.topics.filter(({ message }) => /\.(All|Record|string|class|Order)$/.test(message))
  const types = chosen.map((topic, index) => {
    const registration = { ...topic, topic: topic.name, lineage, instance: 'main', connector, descriptors }
    return `export namespace N${index} {\n${generateReaderTypes(registration)}\n}\n`
  })
  return types.join('')
}

/** The errors that the compiler finds in the code of all projects. */
async function compile(): Promise<string> {
  const base = fileURLToPath(new URL('../../../tsconfig.json', import.meta.url))
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify({ extends: base, include: ['*/out'] }))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const compiled = await promisify(execFile)(process.execPath, [tsc, '-p', root, '--pretty', 'false']).catch((e) => e)
  return compiled.stdout
}

test('generated code compiles with any names of messages, enums, fields and values', async () => {
  expect(await compile()).toBe('')
})

/** Expects that the generated code of a project encodes a message as protobuf-es does. */
async function expectEncoded({ dir, schema, manifest }: Project, json: object, code: (index: number) => object) {
  const module = await import(join(dir, 'out/schema.ts'))
  const codecs = Object.values(module.schema.messages) as MessageCodec<unknown>[]
  expect(codecs.map(({ name }) => name)).toEqual(manifest.topics.map(({ message }) => message))
  for (const [index, { name, encode }] of codecs.entries()) {
    const message = schema.message(name)!
    const values = index === 0 ? { c: '-1', d: '2', e: ['-3'], f: { x: '4' }, g: { 5: 'AQ==' }, j: '6' } : json
    const expected = toBinary(message, fromJson(message, values as never))
    expect(Buffer.from(encode(code(index)).finish()).toString('hex')).toBe(Buffer.from(expected).toString('hex'))
  }
}

const full = {
  ...{ a: '', b: new Uint8Array(), c: -1n, d: 2n, e: [-3n], f: { x: 4n }, g: new Map([[5n, Uint8Array.of(1)]]) },
  ...{ h: { $case: 'j', value: 6n }, m: [] },
}

describe('a type with a name that the generated code uses itself is encoded', () => {
  test('as a message with a topic that contains itself', async () => {
    const leaf = { a: 'x', o: [], p: {} }
    await expectEncoded(
      projects.messages,
      { n: { a: 'x' }, o: [{ a: 'x' }], p: { y: { a: 'x' } }, r: { a: 'x' } },
      (index) => (index === 0 ? full : { a: '', n: leaf, o: [leaf], p: { y: leaf }, q: { $case: 'r', value: leaf } }),
    )
  })

  test('as an enum', async () => {
    const none = Object.fromEntries(names.map((_, index) => [`x${index}`, 0]))
    await expectEncoded(projects.enums, { n: 1, o: [1], p: { y: 1 }, r: 1 }, (index) =>
      index === 0 ? { ...full, ...none } : { n: 1, o: [1], p: { y: 1 }, q: { $case: 'r', value: 1 } },
    )
  })
})

test('messages that would share a name in the generated code have one codec each', async () => {
  const { schema } = await import(join(projects.twins.dir, 'out/schema.ts'))
  const codecs = Object.values(schema.messages) as MessageCodec<unknown>[]
  expect(codecs.map(({ name }) => name)).toEqual(twinTopics)
  expect(Object.keys(schema.messages)).toEqual(['Order', 'Line', 'Order_Line', 'Date', 'Limit', 'OrderMessage'])
})
