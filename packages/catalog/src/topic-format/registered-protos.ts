import type { DescFile, DescMessage } from '@bufbuild/protobuf'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { RegisteredSchema } from '../schema-registry/registry-client.ts'
import { MalformedMessageError } from '../wire/wire-reader.ts'

export interface ProtoWithFile {
  readonly schema: SchemaSet
  /** The file that the indexes of messages refer to. */
  readonly file: DescFile
}

/** Compiles a .proto text of a registry with its imports. Throws an `Error` with its mistakes. */
export async function compileRegistered({ type, text, referenced }: RegisteredSchema): Promise<ProtoWithFile> {
  if (type !== 'PROTOBUF') throw new Error(`it is of type ${type}`)
  const own = '/registered/__value.proto'
  const texts = new Map([...referenced].map(([name, imported]) => [`/registered/${name}`, imported]))
  texts.set(own, text)
  const { schema, problems } = await compileProtos([own], { root: '/registered', texts })
  const file = schema?.registry.getFile('__value.proto')
  if (schema && file) return { schema, file }
  throw new Error(problems.map(({ message }) => message).join(' '))
}

/** @throws {MalformedMessageError} */
export function messageAt(file: DescFile, indexes: readonly number[]): DescMessage {
  let messages: readonly DescMessage[] = file.messages
  let found: DescMessage | undefined
  for (const index of indexes) {
    found = messages[index]
    if (!found) throw new MalformedMessageError(`its schema has no message at the indexes ${indexes.join(', ')}`)
    messages = found.nestedMessages
  }
  return found!
}
