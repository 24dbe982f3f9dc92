import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { compileProtos } from './compile-protos.ts'
import { schemaFromDescriptors } from './schema-set.ts'

async function problemsOf(text: string, others: Record<string, string> = {}): Promise<string[]> {
  const root = await createFolder({ 'a.proto': text, ...others })
  const { schema, problems } = await compileProtos([join(root, 'a.proto')], { root })
  expect(schema === undefined).toBe(problems.length > 0)
  return problems.map(
    ({ file, line, column, message }) => `${file.slice(root.length + 1)}:${line}:${column} ${message}`,
  )
}

const proto3 = (text: string) => `syntax = "proto3";\n${text}`

describe('compileProtos', () => {
  it.each([
    ['message A {}', 'a.proto:1:1 This file has no syntax declaration'],
    ['syntax = "proto2";', 'a.proto:1:1 This file is written in "proto2"'],
    ['// first\n edition = "2023";', 'a.proto:2:2 This file is written in "2023"'],
    [proto3('message A {\n  string x == 1;\n}'), 'Found "=", which is not a valid id.'],
    [proto3('message A {\n  string x = 1\n}'), 'a.proto:4:1 Found "}"'],
    [proto3('message A {\n  string x = 1;'), 'the end of the file'],
    [proto3('message A {\n  required string x = 1;\n}'), 'a.proto:3:3 Found "required", which is not allowed here'],
    [proto3('message M {\n  oneof o {\n    repeated int32 a = 1;\n  }\n}'), 'a.proto:4:20 Found "a" where "=" is'],
    [proto3('messag A {}'), 'a.proto:2:1 Found "messag"'],
    [proto3('message A { string 1x = 1; }'), 'is not a valid name'],
    [proto3('/* never ends'), 'A comment has no end. Add it.'],
    [
      proto3('message A {\n  string x = 1;\n  string y = 1;\n}'),
      'a.proto:4:10 Number 1 is used twice in A. Use a unique one.',
    ],
    [proto3('message A {\n  string x = 1;\n  string x = 2;\n}'), 'a.proto:4:10 Name "x" is used twice in A.'],
    [proto3('message A {}\nmessage A {}'), 'a.proto:3:9 Name "A" is used twice'],
    [
      proto3('message A {\n  reserved 2;\n  string x = 2;\n}'),
      'a.proto:4:10 Number 2 is reserved in A. Use another one.',
    ],
    [
      proto3('enum E { A = 1; }'),
      'a.proto:2:6 Enum E must begin with the value 0: its first value A is 1. Add one, such as  UNSPECIFIED = 0;',
    ],
    [proto3('enum E { }'), 'it has no value'],
    [proto3('message A {\n  Strin x = 1;\n}'), 'a.proto:3:3 The type "Strin" is unknown here.'],
    [proto3('message Block {}\nmessage A {\n  Blok x = 1;\n}'), 'Did you mean "Block"?'],
    [proto3('message A {\n  map<string, Missing> x = 1;\n}'), 'a.proto:3:15 The type "Missing" is unknown'],
    [proto3('message A {\n  oneof o {\n    Missing x = 1;\n  }\n}'), 'a.proto:4:5 The type "Missing" is unknown'],
    [proto3('message A {\n  string x = 0;\n}'), 'a.proto:3:10 Field x has the number 0'],
    [proto3('message A {\n  string x = 19500;\n}'), 'Field x has the number 19500'],
    [
      proto3('message A {\n  string a_b = 1;\n  string aB = 2;\n}'),
      'a.proto:4:10 Fields a_b and aB have the same JSON name "aB"',
    ],
    [proto3('message A {\n  string x = 1 [deprecated = 5];\n}'), 'a.proto:3:10 An option is invalid'],
    [proto3('enum E {\n  A = 0;\n  B = 3000000000;\n}'), 'a.proto:4:3 Value B has the number 3000000000.'],
    [
      proto3('enum E { A = 0; }\nenum StateCode {\n  A = 0;\n}'),
      'a.proto:4:3 Value A of the enum StateCode has a name that is already used by the enum E: values of enums are in the scope ' +
        'around their enum. Rename it, for example to STATE_CODE_A.',
    ],
    [
      proto3('message M {\n  enum E { X = 0; }\n  string X = 1;\n}'),
      'a.proto:3:12 Value X of the enum E has a name that is already used: values of enums are in the scope around their enum.',
    ],
    [
      proto3('enum X { A = 0; }\nmessage M {}\nmessage A {}'),
      'a.proto:4:9 A is defined twice. Give each a name of its own.',
    ],
    [
      proto3('message M {\n  message AEntry {}\n  map<string, int32> a = 1;\n}'),
      'a.proto:4:22 The entries of this map are a message AEntry, whose name is already used.',
    ],
    [proto3('message M {}\nextend M {\n  int32 x = 1;\n}'), 'a.proto:4:9 Message M is extended with x'],
    [proto3('message M {\n  extensions 100 to 200;\n}'), 'a.proto:2:9 Message M has "extensions"'],
    [proto3('message M {\n  int32 a = 1 [default = 5];\n}'), 'a.proto:3:9 Field a has a default, which belongs to'],
    [proto3('message M {\n  repeated string a = 1 [packed = true];\n}'), 'a.proto:3:19 Field a cannot be packed'],
    [proto3('message M {\n  string __proto__ = 1;\n}'), 'a.proto:3:10 The name "__proto__" is not supported'],
    [proto3('message M {}\nmessage __proto__ {}'), 'a.proto:3:9 The name "__proto__" is not supported'],
    [proto3('message M {\n  oneof o {}\n}'), 'a.proto:3:9 Oneof o has no fields.'],
    [proto3('message M {\n  reserved 1 to 5, 4;\n}'), 'a.proto:2:9 M reserves 4 twice. Reserve each number once.'],
    [proto3('message M {\n  reserved 5 to 1;\n}'), 'a.proto:2:9 M reserves 5 to 1. Write the smaller number first.'],
    [
      proto3('enum E {\n  reserved "X", "X";\n  A = 0;\n}'),
      'a.proto:2:6 E reserves the name "X" twice. Reserve it once.',
    ],
    [proto3('import "missing.proto";'), 'a.proto:2:8 There is no file "missing.proto"'],
    [
      proto3('import "google/protobuf/timestamp.proto";\nmessage A { google.protobuf.Timestam x = 1; }'),
      'Did you mean "google.protobuf.Timestamp"?',
    ],
    [proto3('message A { google.protobuf.Timestamp x = 1; }'), 'A type of another file needs an import.'],
  ])('reports the mistake in %j and its place', async (text, part) => {
    expect((await problemsOf(text)).join('\n')).toContain(part)
  })

  it('reports mistakes in imported files at their place', async () => {
    const text = proto3('import "b/c.proto";\nmessage A { C c = 1; }')
    const lines = await problemsOf(text, { 'b/c.proto': proto3('message C { D d = 1; }') })
    expect(lines).toEqual([expect.stringContaining('b/c.proto:2:13 The type "D" is unknown')])
  })

  it('reports an unreadable file once if several files import it, and does not report its types as unknown', async () => {
    const lines = await problemsOf(proto3('import "b.proto";\nimport "c.proto";\nmessage A { B b = 1; C c = 2; }'), {
      'b.proto': proto3('import public "c.proto";\nmessage B { C c = 1; }'),
      'c.proto': 'syntax = "proto2";\nmessage C {}',
    })
    expect(lines).toEqual([expect.stringContaining('c.proto:1:1 This file is written in "proto2"')])
  })

  it('refuses a file that is imported twice under different names', async () => {
    const root = await createFolder({
      'd/a.proto': proto3('import "d/b.proto";\nimport "b.proto";\nmessage A { B b = 1; }'),
      'd/b.proto': proto3('message B {}'),
    })
    const { problems } = await compileProtos([join(root, 'd/a.proto')], { root })
    expect(problems).toMatchObject([
      { line: 3, column: 8, message: expect.stringContaining('"b.proto" is imported twice') },
    ])
  })

  it('refuses a cycle of three imports, once', async () => {
    const lines = await problemsOf(proto3('import "b.proto";\nmessage A { B b = 1; }'), {
      'b.proto': proto3('import "c.proto";\nmessage B { C c = 1; }'),
      'c.proto': proto3('import "a.proto";\nmessage C { A a = 1; }'),
    })
    expect(lines).toEqual([expect.stringContaining('c.proto:2:8 "a.proto" imports this file')])
  })

  it('accepts extensions of options', async () => {
    const text =
      'import "google/protobuf/descriptor.proto";\nextend google.protobuf.FieldOptions { string note = 50000; }'
    expect(await problemsOf(proto3(`${text}\nmessage A { string x = 1 [(note) = "y"]; }`))).toEqual([])
  })

  it('refuses files that import each other', async () => {
    const lines = await problemsOf(proto3('import "b.proto";'), { 'b.proto': proto3('import "a.proto";') })
    expect(lines).toEqual([expect.stringContaining('b.proto:2:8 "a.proto" imports this file')])
  })

  it('refuses a type that two files define', async () => {
    const lines = await problemsOf(proto3('import "b.proto";\nmessage A {}'), { 'b.proto': proto3('message A {}') })
    expect(lines).toEqual([
      'a.proto:3:9 A is defined in b.proto already. Rename one, or give the files their own packages.',
    ])
  })

  it('reports the place of an unknown type whose name is the end of an existing one', async () => {
    const root = await createFolder({ 'a.proto': proto3('message A { > b = 1; }') })
    const { problems } = await compileProtos([join(root, 'a.proto')], { root })
    expect(problems).toMatchObject([{ line: 2 }])
  })

  it('does not throw for a damaged file', async () => {
    const whole = await readFile(join(import.meta.dirname, '../../test/protos/scopes.proto'), 'utf8')
    const root = await createFolder({})
    const damage = fc.tuple(
      fc.nat(whole.length),
      fc.nat(8),
      fc.constantFrom('', '{', '}', ';', '"', '[', '=', '-1', 'message', '\n', '/*'),
    )
    await fc.assert(
      fc.asyncProperty(damage, async ([at, length, inserted]) => {
        await writeFile(join(root, 'a.proto'), whole.slice(0, at) + inserted + whole.slice(at + length))
        const { problems } = await compileProtos([join(root, 'a.proto')], { root })
        expect(problems.length).toBeGreaterThan(0)
        for (const { line, column, message } of problems) {
          expect(Math.min(line, column)).toBeGreaterThan(0)
          expect(message).not.toContain('undefined')
        }
      }),
      { numRuns: 300 },
    )
  })

  it('resolves types of public imports only', async () => {
    const others = {
      'b.proto': proto3('import public "c.proto";\nimport "d.proto";'),
      'c.proto': proto3('message C {}'),
      'd.proto': proto3('message D {}'),
    }
    expect(await problemsOf(proto3('import "b.proto";\nmessage A { C c = 1; }'), others)).toEqual([])
    expect(await problemsOf(proto3('import "b.proto";\nmessage A { D d = 1; }'), others)).toHaveLength(1)
  })

  it('finds imports next to the importing file', async () => {
    const root = await createFolder({
      'deep/a.proto': proto3('import "b.proto";\nmessage A { B b = 1; }'),
      'deep/b.proto': proto3('message B {}'),
    })
    const files = ['deep/a.proto', 'deep/b.proto'].map((name) => join(root, name))
    const { schema } = await compileProtos(files, { root })
    expect(schema?.message('A')?.fields[0]?.message?.typeName).toBe('B')
    expect([...schema!.registry.files].map(({ name }) => name)).toEqual(['deep/b', 'deep/a'])
  })
})

describe('schemaFromDescriptors', () => {
  it('parses shared descriptors once', async () => {
    const root = await createFolder({ 'a.proto': proto3('message A {}') })
    const { descriptors } = (await compileProtos([join(root, 'a.proto')], { root })).schema!
    expect(schemaFromDescriptors(descriptors).registry).toBe(schemaFromDescriptors(descriptors).registry)
  })

  it('refuses an incomplete FileDescriptorSet', () => {
    expect(() => schemaFromDescriptors(Buffer.from('nonsense'))).toThrow(
      expect.objectContaining({ code: 'invalid_schema' }),
    )
  })
})
