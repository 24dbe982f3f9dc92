import { createFileRegistry, type DescFile, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { canonicalProto } from './canonical-proto.ts'
import type { FileSchema } from './schema-identity.ts'

/**
 * Whether a client has a schema: as the text of this form, or as a `FileDescriptorProto` in base64, which is how some
 * clients of Confluent send schemas. Its imports are not compared.
 */
export function isSameSchema({ text, file }: FileSchema, sent: string): boolean {
  if (sent === text) return true
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(sent)) return false
  try {
    const proto = fromBinary(FileDescriptorProtoSchema, Buffer.from(sent, 'base64'))
    const imports = new Map(filesWithin(file).map((one) => [one.proto.name, one]))
    const read = createFileRegistry(proto, (name) => imports.get(name)).getFile(proto.name)
    return read !== undefined && canonicalProto(read) === text
  } catch {
    return false
  }
}

function filesWithin(file: DescFile): DescFile[] {
  return file.dependencies.flatMap((dependency) => [dependency, ...filesWithin(dependency)])
}
