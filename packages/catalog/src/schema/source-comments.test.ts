import { join } from 'node:path'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { commentLength } from './comment-text.ts'
import { compileProtos } from './compile-protos.ts'
import { type SchemaSet, schemaFromDescriptors } from './schema-set.ts'
import { commentBytes, commentOf } from './source-comments.ts'

async function compile(text: string): Promise<SchemaSet> {
  const root = await createFolder({ 'a.proto': `syntax = "proto3";\n${text}` })
  const { schema, problems } = await compileProtos([join(root, 'a.proto')], { root })
  expect(problems).toEqual([])
  return schema!
}

function fieldComments(schema: SchemaSet): (string | undefined)[] {
  return schema.message('M')!.fields.map(commentOf)
}

it('descriptors have comments, but not their places', async () => {
  const { descriptors } = await compile('message M {\n  string a = 1; // One.\n}')
  const moved = await compile('\n\nmessage   M {\n\n  // One.\n  string a = 1;\n}')
  expect(Buffer.compare(moved.descriptors, descriptors)).toBe(0)
  expect(fieldComments(schemaFromDescriptors(Buffer.from(descriptors)))).toEqual(['One.'])
})

it('without comments, descriptors are those of earlier versions', async () => {
  const { file } = fromBinary(FileDescriptorSetSchema, (await compile('message M {\n  string a = 1;\n}')).descriptors)
  expect(file.map(({ sourceCodeInfo }) => sourceCodeInfo)).toEqual([undefined])
})

it('comments of a schema after the first 128 KiB are omitted', async () => {
  const fields = Array.from(
    { length: 100 },
    (_, index) => `// ${'é'.repeat(commentLength)}\nstring f${index} = ${index + 1};`,
  )
  const schema = await compile(`message M {\n${fields.join('\n')}\n}`)
  const kept = fieldComments(schema).filter((comment) => comment !== undefined)
  const bytes = kept.map((comment) => Buffer.byteLength(comment)).reduce((sum, one) => sum + one)
  expect(bytes).toBeLessThanOrEqual(commentBytes)
  expect(bytes).toBeGreaterThan(commentBytes - 2 * commentLength)
  expect(fieldComments(schema).slice(kept.length)).toEqual(Array.from({ length: 100 - kept.length }))
})

it('comments in descriptors of other compilers are bounded too', async () => {
  const set = fromBinary(FileDescriptorSetSchema, (await compile('// One.\nmessage M { string a = 1; }')).descriptors)
  set.file[0]!.sourceCodeInfo!.location[0]!.leadingComments = ` \u001b[2J${'x'.repeat(1_000_000)}\n`
  const message = schemaFromDescriptors(toBinary(FileDescriptorSetSchema, set)).message('M')!
  expect(commentOf(message)).toBe(`[2J${'x'.repeat(commentLength - 4)}…`)
})
