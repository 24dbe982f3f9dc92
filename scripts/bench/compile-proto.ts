import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileProtos, type SchemaSet } from '@headrace/catalog'

export async function compileProto(source: string): Promise<SchemaSet> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  try {
    const file = join(dir, 'bench.proto')
    await writeFile(file, source)
    return (await compileProtos([file])).schema!
  } finally {
    await rm(dir, { recursive: true })
  }
}
