import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { commentOf, compileProtos, type SchemaSet, schemaFromDescriptors } from '@headrace/catalog'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, 'protos')

describe('compileProtos', () => {
  it('produces the same descriptors as buf', async () => {
    const names = await readdir(root)
    const files = names.filter((name) => name.endsWith('.proto')).map((name) => join(root, name))
    const { schema, problems } = await compileProtos(files, { root })
    expect(problems).toEqual([])
    const ofBuf = await buildWithBuf()
    const ours = normalise(schema!.descriptors)
    const theirs = normalise(ofBuf)
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
    for (const name of Object.keys(theirs)) expect(ours[name], name).toEqual(theirs[name])
  })

  it('finds the same comments as buf', async () => {
    const name = 'comments.proto'
    const { schema } = await compileProtos([join(root, name)], { root })
    const ours = commentsIn(schema!, name)
    expect(ours).toEqual(commentsIn(schemaFromDescriptors(await buildWithBuf()), name))
    expect(Object.keys(ours)).toHaveLength(19)
  })

  it('puts dependencies first', async () => {
    const { schema } = await compileProtos([join(root, 'scopes.proto')], { root })
    const { file } = fromBinary(FileDescriptorSetSchema, schema!.descriptors)
    const seen = new Set<string>()
    for (const { name, dependency } of file) {
      expect(dependency.filter((one) => !seen.has(one))).toEqual([])
      seen.add(name)
    }
    expect(seen).toContain('shared/colour.proto')
  })
})

async function buildWithBuf(): Promise<Uint8Array> {
  const options = { cwd: root, preferLocal: true, encoding: 'buffer' } as const
  return (await execa('buf', ['build', '.', '-o', '-'], options)).stdout
}

type Declaration = Parameters<typeof commentOf>[0]

function commentsIn({ registry }: SchemaSet, file: string): Record<string, string | undefined> {
  const declarations = [...nestedTypes(registry.getFile(file)!)].flatMap((type): Declaration[] => {
    if (type.kind === 'message') return [type, ...type.fields, ...type.oneofs]
    return type.kind === 'enum' ? [type, ...type.values] : []
  })
  const comments = declarations.map((one) => [`${one}`, commentOf(one)] as const)
  return Object.fromEntries(comments.filter(([, comment]) => comment !== undefined))
}

/** Files by name as JSON, without what does not affect messages: the order of nested types, services, and comments. */
function normalise(descriptors: Uint8Array): Record<string, unknown> {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptors, { readUnknownFields: false })
  return Object.fromEntries(
    file.map((one) => {
      const { sourceCodeInfo: _, ...described } = one
      const plain: FileDescriptorProto = { ...described, service: [], messageType: one.messageType.map(sortNested) }
      return [one.name, toJson(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [plain] }))]
    }),
  )
}

function sortNested(message: DescriptorProto): DescriptorProto {
  const nestedType = message.nestedType.map(sortNested).sort((a, b) => a.name.localeCompare(b.name))
  return { ...message, nestedType }
}
