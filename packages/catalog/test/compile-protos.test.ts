import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { compileProtos } from '@headrace/catalog'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, 'protos')

describe('compileProtos', () => {
  it('produces the same descriptors as buf', async () => {
    const names = await readdir(root)
    const files = names.filter((name) => name.endsWith('.proto')).map((name) => join(root, name))
    const { schema, problems } = await compileProtos(files, { root })
    expect(problems).toEqual([])
    const { stdout } = await execa('buf', ['build', '.', '-o', '-', '--exclude-source-info'], {
      cwd: root,
      preferLocal: true,
      encoding: 'buffer',
    })
    const ours = normalise(schema!.descriptors)
    const theirs = normalise(stdout)
    expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
    for (const name of Object.keys(theirs)) expect(ours[name], name).toEqual(theirs[name])
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

/** Files by name as JSON, without what does not affect messages: the order of nested types, and services. */
function normalise(descriptors: Uint8Array): Record<string, unknown> {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptors, { readUnknownFields: false })
  return Object.fromEntries(
    file.map((one) => {
      const plain: FileDescriptorProto = { ...one, service: [], messageType: one.messageType.map(sortNested) }
      return [one.name, toJson(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [plain] }))]
    }),
  )
}

function sortNested(message: DescriptorProto): DescriptorProto {
  const nestedType = message.nestedType.map(sortNested).sort((a, b) => a.name.localeCompare(b.name))
  return { ...message, nestedType }
}
