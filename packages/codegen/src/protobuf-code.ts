import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  type SourceCodeInfo,
  SourceCodeInfoSchema,
} from '@bufbuild/protobuf/wkt'
import type { SchemaSet } from '@headrace/catalog'
import { type CodeNames, chooseCodeNames } from './code-names.ts'
import type { GeneratedFile } from './generated-folder.ts'

/** ts-proto runs as a compiler plugin, so that only the plugin protocol is relied upon. */
export async function generateProtobufCode({
  descriptors,
  comments,
}: Pick<SchemaSet, 'descriptors' | 'comments'>): Promise<{ files: readonly GeneratedFile[]; names: CodeNames }> {
  const files = fromBinary(FileDescriptorSetSchema, descriptors).file
  if (comments) for (const file of files) file.sourceCodeInfo = sourceComments(file, comments)
  const names = chooseCodeNames(files)
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: files.map((file) => file.name),
    parameter: pluginOptions.join(','),
    protoFile: files,
  })
  const response = fromBinary(
    CodeGeneratorResponseSchema,
    await runPlugin(toBinary(CodeGeneratorRequestSchema, request)),
  )
  if (response.error) throw new Error(`ts-proto refused the .proto files: ${response.error}`)
  return { files: response.file.map((file) => ({ path: file.name, content: useSdkWire(file.content) })), names }
}

const pluginOptions = [
  'annotateFilesWithVersion=false',
  'enumsAsLiterals=true',
  'esModuleInterop=true',
  'exportCommonSymbols=false',
  'forceLong=bigint',
  'importSuffix=.ts',
  'oneof=unions-value',
  'outputEncodeMethods=encode-only',
  'outputJsonMethods=false',
  'outputPartialMethods=false',
  'outputServices=none',
  'snakeToCamel=false',
  'unrecognizedEnum=false',
  'useDate=false',
  'useExactTypes=false',
]

function runPlugin(request: Uint8Array): Promise<Uint8Array> {
  const plugin = fileURLToPath(import.meta.resolve('ts-proto/protoc-gen-ts_proto'))
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [plugin],
      { encoding: 'buffer', maxBuffer: Number.POSITIVE_INFINITY },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    )
    child.stdin?.on('error', () => {}) // a plugin that died early is reported by its exit
    child.stdin?.end(request)
  })
}

/** A connector depends on the SDK alone, which re-exports the writer. */
function useSdkWire(code: string): string {
  return code.replaceAll('"@bufbuild/protobuf/wire"', '"@headrace/sdk/wire"')
}

function sourceComments(file: FileDescriptorProto, comments: ReadonlyMap<string, string>): SourceCodeInfo {
  const location = [...places(file)].flatMap(({ name, path }) => {
    const comment = comments.get(name)
    return comment === undefined ? [] : [{ path, span: [0, 0, 0], leadingComments: lines(comment) }]
  })
  return create(SourceCodeInfoSchema, { location })
}

/** A compiler keeps the space after the comment mark. */
function lines(comment: string): string {
  return comment.replaceAll(/^/gm, ' ').concat('\n')
}

interface NamedPath {
  readonly name: string
  /** Field numbers and indexes, see `google.protobuf.SourceCodeInfo.Location.path`. */
  readonly path: number[]
}

function* places({ package: scope, messageType, enumType }: FileDescriptorProto): Generator<NamedPath> {
  const prefix = scope === '' ? '' : `${scope}.`
  for (const [index, message] of messageType.entries()) yield* inMessage(message, prefix, [4, index])
  for (const [index, one] of enumType.entries()) yield* inEnum(one, prefix, [5, index])
}

function* inMessage(message: DescriptorProto, prefix: string, path: number[]): Generator<NamedPath> {
  const name = prefix + message.name
  yield { name, path }
  for (const [index, field] of message.field.entries())
    yield { name: `${name}.${field.name}`, path: [...path, 2, index] }
  for (const [index, oneof] of message.oneofDecl.entries())
    yield { name: `${name}.${oneof.name}`, path: [...path, 8, index] }
  for (const [index, nested] of message.nestedType.entries()) yield* inMessage(nested, `${name}.`, [...path, 3, index])
  for (const [index, one] of message.enumType.entries()) yield* inEnum(one, `${name}.`, [...path, 4, index])
}

function* inEnum(one: EnumDescriptorProto, prefix: string, path: number[]): Generator<NamedPath> {
  const name = prefix + one.name
  yield { name, path }
  for (const [index, value] of one.value.entries()) yield { name: `${name}.${value.name}`, path: [...path, 2, index] }
}
