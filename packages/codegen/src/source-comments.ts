import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  type SourceCodeInfo,
  SourceCodeInfoSchema,
} from '@bufbuild/protobuf/wkt'

/**
 * Makes the `SourceCodeInfo` that a compiler passes to plugins.
 *
 * @param comments - By the full name of the declaration.
 */
export function sourceComments(file: FileDescriptorProto, comments: ReadonlyMap<string, string>): SourceCodeInfo {
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
  /** Field numbers and indexes, starting at the file: see `google.protobuf.SourceCodeInfo.Location.path`. */
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
