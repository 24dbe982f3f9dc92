import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'
import type { SchemaSet } from '@headrace/catalog'
import { type CodeNames, chooseCodeNames } from './code-names.ts'
import type { GeneratedFile } from './generated-folder.ts'

/** ts-proto runs as a compiler plugin, so that only the plugin protocol is relied upon. */
export async function generateProtobufCode({
  descriptors,
}: Pick<SchemaSet, 'descriptors'>): Promise<{ files: readonly GeneratedFile[]; names: CodeNames }> {
  const files = fromBinary(FileDescriptorSetSchema, descriptors).file
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
