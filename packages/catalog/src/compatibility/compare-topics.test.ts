import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'
import { incompatibilityRules } from './incompatibility.ts'

async function compile(body: string): Promise<SchemaSet> {
  const text = `syntax = "proto3";\npackage acme;\nimport "google/protobuf/any.proto";\n${body}`
  const root = await createFolder({ 'a.proto': text })
  const { schema, problems } = await compileProtos([join(root, 'a.proto')], { root })
  expect(problems).toEqual([])
  return schema!
}

const form = ({ descriptors }: SchemaSet): TopicForm => ({
  ...{ topic: 'acme.evm.1_0_0.a_M', message: 'acme.M', bytes: 'base64', partitions: 1 },
  descriptors,
})

/** Each incompatibility: its rule, its line and column in the later body, and its message. */
async function compare(before: string, after: string): Promise<string[]> {
  const later = await compile(after)
  return compareTopics(form(await compile(before)), form(later)).map(({ rule, at, message }) => {
    const place = 'declaration' in at ? later.places!.get(at.declaration)! : undefined
    return `${rule} ${place ? `${place.line - 3}:${place.column}` : ''} ${message}`
  })
}

const enumE = 'enum E { A = 0; B = 1; }'
const tested = new Set<string>()

describe('an incompatible change is reported with its rule, its place, the broken readers and the remedies', () => {
  it.each([
    [
      'message M { string a = 1; string b = 2; }',
      'message M { string a = 1; }',
      'field_removed 1:9',
      'Field "b" (number 2) of M was removed and is not reserved.',
      'reserved 2;  and  reserved "b";',
    ],
    [
      'message M { string a = 1; string b = 2; }',
      'message M { reserved 2; string a = 1; }',
      'field_removed 1:9',
      'could take a later field with its number or name for it',
      'write  reserved "b";  in M',
    ],
    [
      'message M { string a = 1; string b = 2; }',
      'message M { reserved "b"; string a = 1; }',
      'field_removed 1:9',
      'Readers would find no value',
      'write  reserved 2;  in M',
    ],
    [
      'message M { string a = 1; }',
      'message M {\n  string a = 2;\n}',
      'field_renumbered 2:10',
      'had the number 1 and has 2',
      'Restore the number 1',
    ],
    [
      'message M { string a = 1; }',
      'message M { string b = 1; }',
      'field_renamed 1:20',
      'Readers of JSON would find nothing under "a"',
      'add "b" as a new field',
    ],
    [
      'message M { string a = 1; }',
      'message M { reserved "a"; int32 b = 1; }',
      'number_reused 1:33',
      'Number 1 of M was string "a" and is int32 "b"',
      'Use an unused number for "b"',
    ],
    [
      'message M { string a = 1; }',
      'message M { repeated string b = 1; }',
      'number_reused 1:29',
      'would confuse them',
      'reserved 1;  and  reserved "a";',
    ],
    [
      'message M { int32 a = 1; }',
      'message M { int64 a = 1; }',
      'type_changed 1:19',
      'was int32 and is int64. Readers of JSON would get a string of digits instead of a number;',
      'Restore the type',
    ],
    [
      'message M { uint64 a = 1; }',
      'message M { int64 a = 1; }',
      'type_changed 1:19',
      'Readers of JSON would get other values; readers with generated code, and stored records, would read other values from the same bytes.',
      'Restore the type',
    ],
    [
      'message M { int32 a = 1; }',
      'message M { sint32 a = 1; }',
      'type_changed 1:20',
      'from the same bytes',
      'add a new field for the new type',
    ],
    [
      'message M { fixed32 a = 1; }',
      'message M { uint32 a = 1; }',
      'type_changed 1:20',
      'stored records would lose the field, and readers with generated code would not find it in new ones',
      'Restore the type',
    ],
    [
      'message M { float a = 1; }',
      'message M { double a = 1; }',
      'type_changed 1:20',
      'was float and is double',
      'Restore the type',
    ],
    [
      'message M { string a = 1; }',
      'message M { bytes a = 1; }',
      'type_changed 1:19',
      'encoded bytes instead of a string',
      'Restore the type',
    ],
    [
      'message M { bool a = 1; }',
      'message M { uint32 a = 1; }',
      'type_changed 1:20',
      'a number instead of true or false',
      'Restore the type',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      `message M { int32 a = 1; } ${enumE}`,
      'type_changed 1:19',
      'a number instead of a name of E',
      'Restore the type',
    ],
    [
      'message M { P a = 1; } message P { string x = 1; }',
      'message M { Q a = 1; } message Q { string x = 1; }',
      'type_changed 1:15',
      'was acme.P and is acme.Q',
      'Restore the type',
    ],
    [
      'message M { map<string, int32> a = 1; }',
      'message M { map<string, int64> a = 1; }',
      'type_changed 1:32',
      'was map<string, int32> and is map<string, int64>',
      'Restore the type',
    ],
    [
      'message M { map<string, int32> a = 1; }',
      'message M { map<int32, int32> a = 1; }',
      'type_changed 1:31',
      'map<int32, int32>',
      'Restore the type',
    ],
    [
      'message M { repeated int32 a = 1; }',
      'message M { repeated string a = 1; }',
      'type_changed 1:29',
      'a string instead of a number',
      'Restore the type',
    ],
    [
      'message M { int32 a = 1; }',
      'message M { repeated int32 a = 1; }',
      'cardinality_changed 1:28',
      'was singular and is repeated. Readers of JSON would get a list instead of one value',
      'Undo the change',
    ],
    [
      'message M { repeated int32 a = 1; }',
      'message M { int32 a = 1; }',
      'cardinality_changed 1:19',
      'Readers of JSON would get one value instead of a list',
      'Undo the change',
    ],
    [
      'message M { int32 a = 1; }',
      'message M { optional int32 a = 1; }',
      'cardinality_changed 1:28',
      'would no longer find the field if it is zero',
      'Undo the change',
    ],
    [
      'message M { optional int32 a = 1; }',
      'message M { int32 a = 1; }',
      'cardinality_changed 1:19',
      'would find a zero if the field is absent',
      'Undo the change',
    ],
    [
      'message M { int32 a = 1; }',
      'message M { oneof o { int32 a = 1; } }',
      'oneof_changed 1:29',
      'was in no oneof and is in the oneof "o" with a',
      'Undo the change',
    ],
    [
      'message M { oneof o { int32 a = 1; } }',
      'message M { int32 a = 1; }',
      'oneof_changed 1:19',
      'was in the oneof "o" with a and is in no oneof',
      'Undo the change',
    ],
    [
      'message M { reserved 5; }',
      'message M { string a = 5; }',
      'reservation_removed 1:20',
      'Number 5 of M was reserved and is used by the field "a"',
      'Write  reserved 5;  again and use another one for "a".',
    ],
    [
      'message M { reserved 5 to 9; }',
      'message M { reserved 5 to 6, 8 to 9; }',
      'reservation_removed 1:9',
      'Number 7 of M was reserved and no longer is',
      'reserved 7;',
    ],
    [
      'message M { reserved "old"; }',
      'message M { string old = 1; }',
      'reservation_removed 1:20',
      'Name "old" of M was reserved and is used by the field "old"',
      'reserved "old";',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      'message M { E a = 1; } message E { int32 x = 1; }',
      'type_changed 1:15',
      'was enum acme.E and is message acme.E. Readers of JSON would get the message E instead of a name of E',
      'Restore the type',
    ],
    [
      `message M { map<string, E> a = 1; } ${enumE}`,
      'message M { map<string, E> b = 1; } message E {}',
      'number_reused 1:28',
      'Number 1 of M was map<string, enum acme.E> "a" and is map<string, message acme.E> "b"',
      'reserved 1;',
    ],
    [
      'message M { E a = 1; } enum E { A = 0; reserved 5; }',
      'message M { E a = 1; } enum E { A = 0; C = 5; }',
      'reservation_removed 1:40',
      'Number 5 of E was reserved and is used by the value "C". A removed value had it',
      'Write  reserved 5;  again and use another one for "C".',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      'message M { E a = 1; } enum E { A = 0; reserved 1; reserved "B"; }',
      'enum_value_removed 1:29',
      'would get the bare number 1',
      '[deprecated = true]',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      'message M { E a = 1; } enum E { A = 0; B = 2; }',
      'enum_value_renumbered 1:40',
      'was 1 and is 2',
      'Restore the number 1',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      'message M { E a = 1; } enum E { A = 0; C = 1; }',
      'enum_value_renamed 1:40',
      'was "B" and is "C" in JSON',
      'Restore the name "B"',
    ],
    [
      `message M { E a = 1; } ${enumE}`,
      'message M { E a = 1; } enum E { option allow_alias = true; A = 0; C = 1; B = 1; }',
      'enum_value_renamed 1:67',
      'is "C" in JSON',
      'come after the first',
    ],
    [
      'message M { P p = 1; } message P { Q q = 1; } message Q { int32 x = 1; }',
      'message M { P p = 1; } message P { Q q = 1; } message Q { bool x = 1; }',
      'type_changed 1:64',
      'Field "x" of Q',
      'Restore the type',
    ],
    [
      'message M { map<string, P> p = 1; } message P { int32 x = 1; }',
      'message M { map<string, P> p = 1; } message P { bool x = 1; }',
      'type_changed 1:54',
      'Field "x" of P',
      'Restore the type',
    ],
    [
      'message M { google.protobuf.Any a = 1; } message P { int32 x = 1; }',
      'message M { google.protobuf.Any a = 1; }',
      'message_removed 1:9',
      'could no longer be rendered to JSON',
      'Restore the message',
    ],
    [
      'message M { google.protobuf.Any a = 1; } message P { int32 x = 1; }',
      'message M { google.protobuf.Any a = 1; } message P { bool x = 1; }',
      'type_changed 1:59',
      'Field "x" of P',
      'Restore the type',
    ],
  ])('%s → %s', async (before, after, rule, consequence, remedy) => {
    const [found, ...others] = await compare(before, after)
    expect(others).toEqual([])
    expect(found).toMatch(new RegExp(`^${rule} `))
    expect(found).toContain(consequence)
    expect(found).toContain(remedy)
    expect(found).toContain('Or set "topicVersion" to a new version')
    tested.add(rule.split(' ')[0]!)
  })

  it('reports each member of a split oneof', async () => {
    const found = await compare(
      'message M { oneof o { int32 a = 1; int32 b = 2; } }',
      'message M { oneof o { int32 a = 1; } oneof p { int32 b = 2; } }',
    )
    expect(found.map((line) => line.split('.')[0])).toEqual([
      'oneof_changed 1:29 Field "a" of M was in the oneof "o" with a, b and is in the oneof "o" with a',
      'oneof_changed 1:54 Field "b" of M was in the oneof "o" with a, b and is in the oneof "p" with b',
    ])
  })

  it('reports every change', async () => {
    const found = await compare(
      'message M { string a = 1; int32 b = 2; P p = 3; } message P { int32 x = 1; int32 y = 2; }',
      'message M { string b = 1; int32 a = 2; P p = 3; } message P { bool x = 1; }',
    )
    expect(found.map((line) => line.split(' ')[0])).toEqual([
      'field_renumbered',
      'field_renumbered',
      'type_changed',
      'field_removed',
    ])
  })
})

it('every rule has a test', () => {
  const others = [
    'message_changed',
    'key_changed',
    'time_changed',
    'bytes_changed',
    'partitions_changed',
    'topic_removed',
  ]
  expect([...tested, ...others].sort()).toEqual(incompatibilityRules.toSorted())
})
