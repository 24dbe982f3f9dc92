import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createFileRegistry, type FileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

/** The example's .proto files, compiled by buf. */
export const registry: FileRegistry = compileWithBuf()

/** @param name Full name, e.g. `headrace.evm.Block`. */
export function decodeMessage(name: string, encoded: Uint8Array): object {
  return fromBinary(registry.getMessage(name)!, encoded)
}

function compileWithBuf(): FileRegistry {
  const buf = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin/buf')
  const set = execFileSync(process.execPath, [buf, 'build', 'proto', '-o', '-'], {
    cwd: join(import.meta.dirname, '..'),
  })
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, set))
}
