import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBinary, toJson } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { compileProtos } from '@headrace/catalog'
import { execa } from 'execa'
import { describe, expect, inject, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const example = join(root, 'examples/python-clock')
const guide = readFileSync(join(root, 'docs/guides/any-language.md'), 'utf8')
const pythonFolder = inject('pythonFolder')

const codeBlocks = (language: string) =>
  [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, of]) => of === language).map(([, , code]) => code!)

test('the code of the guide is that of the example, which is run by other tests', () => {
  const [connector, producer] = codeBlocks('python')
  expect(readFileSync(join(example, 'connector.py'), 'utf8')).toContain(connector)
  expect(readFileSync(join(example, 'straight_to_kafka.py'), 'utf8')).toContain(producer)
  const proto = readFileSync(join(example, 'proto/clock.proto'), 'utf8')
  expect(proto.replaceAll(/^ *\/\/.*\n/gm, '')).toBe(codeBlocks('proto')[0])
})

describe.skipIf(pythonFolder === null)('the generated code of the Python example', () => {
  test.each([
    ['clock_pb2', join(example, 'proto/clock.proto')],
    ['process_pb2', join(root, 'packages/sdk/proto/process.proto')],
  ])('%s describes the same messages as its .proto file', async (module, file) => {
    const program = `import ${module}; print(${module}.DESCRIPTOR.serialized_pb.hex())`
    const { stdout } = await execa(join(pythonFolder!, 'python3'), ['-c', program], { cwd: example })
    const { schema } = await compileProtos([file], { root: join(file, '..') })
    const compiled = [...schema!.registry.files].map(({ proto }) => proto).find(({ name }) => file.endsWith(`/${name}`))
    expect(describedBy(fromBinary(FileDescriptorProtoSchema, Buffer.from(stdout, 'hex')))).toEqual(
      describedBy(compiled!),
    )
  })
})

/** Without the JSON names and options, which compilers may add or omit. */
function describedBy(file: FileDescriptorProto): unknown {
  const json = JSON.stringify(toJson(FileDescriptorProtoSchema, file))
  return JSON.parse(json, (key, value) => (['jsonName', 'options', 'sourceCodeInfo'].includes(key) ? undefined : value))
}
