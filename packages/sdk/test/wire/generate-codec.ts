import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProtos } from '@headrace/catalog'
import type { MessageCodec } from '@headrace/sdk'
import { generateProtobufCode } from '../../../codegen/src/protobuf-code.ts'

/** Compiles a .proto of this folder, generates its code as `connector codegen` does and loads one message's codec. */
export async function generateCodec(file: string, message: string): Promise<MessageCodec<unknown>> {
  const root = import.meta.dirname
  const { schema, problems } = await compileProtos([join(root, file)], { root })
  if (!schema) throw new Error(JSON.stringify(problems))
  const { files } = await generateProtobufCode(schema)
  const dir = await mkdtemp(join(tmpdir(), 'headrace-codec-'))
  try {
    for (const { path, content } of files) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), content.replaceAll('@headrace/sdk/wire', wireModule))
    }
    const module = await import(join(dir, file.replace('.proto', '.ts')))
    return { name: message, encode: module[message].encode }
  } finally {
    await rm(dir, { recursive: true })
  }
}

// No package is installed next to the generated files.
const wireModule = fileURLToPath(new URL('../../src/wire/index.ts', import.meta.url))
