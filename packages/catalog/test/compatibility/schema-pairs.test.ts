import { join } from 'node:path'
import { compileProtos, type SchemaSet } from '@headrace/catalog'
import { describe, expect, test } from 'vitest'
import { compareTopics, type TopicForm } from '../../src/compatibility/compare-topics.ts'
import { createFolder } from '../support/folder.ts'
import { fieldPairs, oneofPairs } from './field-pairs.ts'
import type { Protos } from './schema-pair.ts'
import { enumPairs, reservationPairs, typePairs } from './type-pairs.ts'

const wellKnown = ['any', 'timestamp', 'wrappers'].map((name) => `import "google/protobuf/${name}.proto";\n`).join('')

/** The first file imports the others. */
async function compile(protos: Protos): Promise<SchemaSet> {
  const bodies = Object.entries(typeof protos === 'string' ? { 'a.proto': protos } : protos)
  const files = bodies.map(([name, body], index) => {
    const imports = index === 0 ? bodies.slice(1).map(([other]) => `import "${other}";\n`) : []
    return [name, `syntax = "proto3";\npackage acme;\n${wellKnown}${imports.join('')}${body}`]
  })
  const root = await createFolder(Object.fromEntries(files))
  const { schema, problems } = await compileProtos([join(root, 'a.proto')], { root })
  expect(problems).toEqual([])
  return schema!
}

/** Rules with their places, e.g. `type_changed M.a`. */
async function compare(before: Protos, after: Protos): Promise<string[]> {
  const [old, now] = [await compile(before), await compile(after)]
  return compareTopics(form(old), form(now)).map(({ rule, at }) => {
    const place = 'declaration' in at ? at.declaration : at.setting
    if ('declaration' in at) expect([...now.places!.keys()]).toContain(place)
    return `${rule} ${place.replace(/^acme\./, '')}`
  })
}

const form = ({ descriptors }: SchemaSet): TopicForm => ({
  ...{ topic: 'acme.evm.1_0_0.a_M', message: 'acme.M', bytes: 'base64', partitions: 1 },
  descriptors,
})

describe.each([
  ['fields', fieldPairs],
  ['oneofs', oneofPairs],
  ['reservations', reservationPairs],
  ['enums', enumPairs],
  ['types', typePairs],
])('compareTopics, for a change of %s,', (_, pairs) => {
  test.each(pairs)('reports exactly the broken rules: %s', async (_what, before, after, ...broken) => {
    expect((await compare(before, after)).sort()).toEqual(broken)
  })
})

test('compareTopics reports a change from any type to any other type', async () => {
  const scalars =
    'double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes'
  const types = [...scalars.split(' '), 'E', 'F', 'P', 'Q', 'map<string, E>', 'map<string, P>', 'map<bool, P>']
  const fields = (type: (before: string, after: string) => string) =>
    types.flatMap((before, i) =>
      types.map((after, j) => `${type(before, after)} f${i}x${j} = ${i * types.length + j + 1};`),
    )
  const schema = (lines: readonly string[]) =>
    `message M { ${lines.join('\n')} } enum E { A = 0; } enum F { B = 0; } message P {} message Q {}`
  const different = types.flatMap((_, i) => types.flatMap((_type, j) => (i === j ? [] : [`type_changed M.f${i}x${j}`])))
  expect(await compare(schema(fields((before) => before)), schema(fields((_before, after) => after)))).toEqual(
    different,
  )
})
