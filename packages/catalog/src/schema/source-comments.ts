import {
  create,
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescOneof,
} from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  SourceCodeInfoSchema,
} from '@bufbuild/protobuf/wkt'
import { commentText } from './comment-text.ts'

/** Of the comments of a schema, in bytes of UTF-8. A registration must fit in one record of a queue. */
export const commentBytes: number = 128 * 1024

/** By full name, such as `acme.evm.Block.Hash`. */
export type Comments = ReadonlyMap<string, string>

/**
 * Adds comments to descriptors, as `source_code_info` without positions: a declaration that moves does not change the
 * descriptors. Comments are added in order of declaration. The first one that exceeds `commentBytes` and all after it
 * are omitted.
 */
export function addComments(files: readonly FileDescriptorProto[], comments: Comments): void {
  let left = commentBytes
  for (const file of files) {
    const location = []
    for (const { name, path } of placesIn(file)) {
      const comment = comments.get(name)
      if (comment === undefined) continue
      left -= Buffer.byteLength(comment)
      if (left < 0) break
      location.push({ path, span: [0, 0, 0], leadingComments: asCompiled(comment) })
    }
    if (location.length > 0) file.sourceCodeInfo = create(SourceCodeInfoSchema, { location })
    if (left < 0) return
  }
}

/** A compiler keeps the space after the comment mark. */
function asCompiled(comment: string): string {
  return comment.replaceAll(/^(?=.)/gm, ' ').concat('\n')
}

export type Declaration = DescMessage | DescField | DescOneof | DescEnum | DescEnumValue

/** The comment above a declaration, else the one behind it. `undefined` if the descriptors have none. */
export function commentOf(declaration: Declaration): string | undefined {
  const { file } = 'typeName' in declaration ? declaration : declaration.parent
  const known = commentsOfFiles.get(file) ?? readComments(file)
  commentsOfFiles.set(file, known)
  return known.get(fullName(declaration))
}

const commentsOfFiles = new WeakMap<DescFile, Comments>()

function fullName(declaration: Declaration): string {
  return 'typeName' in declaration ? declaration.typeName : `${declaration.parent.typeName}.${declaration.name}`
}

function readComments({ proto }: DescFile): Comments {
  const byPath = new Map(proto.sourceCodeInfo?.location.map((location) => [location.path.join(), location]))
  const comments = new Map<string, string>()
  if (byPath.size === 0) return comments
  for (const { name, path } of placesIn(proto)) {
    const location = byPath.get(path.join())
    const comment = textOf(location?.leadingComments) ?? textOf(location?.trailingComments)
    if (comment !== undefined) comments.set(name, comment)
  }
  return comments
}

function textOf(comment: string | undefined): string | undefined {
  return comment === undefined ? undefined : commentText(comment.split('\n'))
}

interface NamedPlace {
  readonly name: string
  /** Field numbers and indexes, see `google.protobuf.SourceCodeInfo.Location.path`. */
  readonly path: number[]
}

function* placesIn({ package: scope, messageType, enumType }: FileDescriptorProto): Generator<NamedPlace> {
  const prefix = scope === '' ? '' : `${scope}.`
  for (const [index, message] of messageType.entries()) yield* inMessage(message, prefix, [4, index])
  for (const [index, one] of enumType.entries()) yield* inEnum(one, prefix, [5, index])
}

function* inMessage(message: DescriptorProto, prefix: string, path: number[]): Generator<NamedPlace> {
  const name = prefix + message.name
  yield { name, path }
  for (const [index, field] of message.field.entries())
    yield { name: `${name}.${field.name}`, path: [...path, 2, index] }
  for (const [index, oneof] of message.oneofDecl.entries())
    yield { name: `${name}.${oneof.name}`, path: [...path, 8, index] }
  for (const [index, nested] of message.nestedType.entries()) yield* inMessage(nested, `${name}.`, [...path, 3, index])
  for (const [index, one] of message.enumType.entries()) yield* inEnum(one, `${name}.`, [...path, 4, index])
}

function* inEnum(one: EnumDescriptorProto, prefix: string, path: number[]): Generator<NamedPlace> {
  const name = prefix + one.name
  yield { name, path }
  for (const [index, value] of one.value.entries()) yield { name: `${name}.${value.name}`, path: [...path, 2, index] }
}
