import { createHash } from 'node:crypto'
import { create, type DescFile, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { canonicalProto } from './canonical-proto.ts'
import type { SchemaDefinition, SchemaReference } from './registered-schema.ts'

/** A .proto file as a schema registry has it. */
export interface FileSchema extends SchemaDefinition {
  readonly type: 'PROTOBUF'
  /** As Confluent's registry computes it from the text and the references: 32 hexadecimal digits with hyphens. */
  readonly guid: string
  /** From the GUID, so that every gateway gives the same: 1 to 2³¹ − 1. Two schemas may have the same. */
  readonly id: number
  /** Its imports in the order of `references`, without those that every registry has. */
  readonly imports: readonly FileSchema[]
  readonly file: DescFile
}

/** Computed once for each file. */
export function fileSchema(file: DescFile): FileSchema {
  const known = schemas.get(file)
  if (known) return known
  const schema = createFileSchema(file)
  schemas.set(file, schema)
  return schema
}

const schemas = new WeakMap<DescFile, FileSchema>()

function createFileSchema(file: DescFile): FileSchema {
  const imported = file.dependencies.filter(({ name }) => !name.startsWith('google/protobuf/'))
  imported.sort((one, other) => (one.name < other.name ? -1 : 1))
  const imports = imported.map(fileSchema)
  const references = imports.map(({ file: { proto }, guid }) => ({
    name: proto.name,
    subject: importSubject(proto.name, guid),
    version: 1,
  }))
  const text = canonicalProto(file)
  const guid = schemaGuid(text, references)
  return { type: 'PROTOBUF', text, references, guid, id: idOf(guid), imports, file }
}

/**
 * The subject of an import. It differs for each content, so it has one version: a GUID, which depends on the subjects and
 * versions of the references, is then the same in every registry.
 */
function importSubject(path: string, guid: string): string {
  return `${path}-${guid.replaceAll('-', '').slice(0, 12)}`
}

/** Of a topic whose values have the schema: Confluent's TopicNameStrategy. */
export function valueSubject(topic: string): string {
  return `${topic}-value`
}

/**
 * MD5 of the text and of each reference's name, subject and version (int32, big-endian), which is how Confluent's registry
 * computes GUIDs since version 8.0 (`Schema.getGuid`) for schemas without metadata and rules.
 */
export function schemaGuid(text: string, references: readonly SchemaReference[]): string {
  const hash = createHash('md5').update(text)
  for (const { name, subject, version } of references) {
    const number = Buffer.alloc(4)
    number.writeInt32BE(version)
    hash.update(name).update(subject).update(number)
  }
  return formatGuid(hash.digest('hex'))
}

function formatGuid(hex: string): string {
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function idOf(guid: string): number {
  return Number.parseInt(guid.slice(0, 8), 16) % 0x7f_ff_ff_ff || 1
}

/** A `google.protobuf.FileDescriptorProto` without comments. */
export function serializedFile({ file }: FileSchema): Uint8Array {
  const { sourceCodeInfo: _, ...content } = file.proto
  return toBinary(FileDescriptorProtoSchema, create(FileDescriptorProtoSchema, content))
}

const guidMagic = 1

/**
 * The value of the header `__value_schema_id`: a magic byte, the GUID, and the place of the message in its file, as
 * Confluent's deserializers read it since version 8.0.
 */
export function encodeSchemaId(message: DescMessage): Uint8Array {
  const guid = Buffer.from(fileSchema(message.file).guid.replaceAll('-', ''), 'hex')
  const indexes = messageIndexes(message)
  const isFirst = indexes.length === 1 && indexes[0] === 0
  return Buffer.concat([
    Buffer.of(guidMagic),
    guid,
    Buffer.from(isFirst ? [0] : [indexes.length, ...indexes].flatMap(zigzag)),
  ])
}

/** The GUID in a header that `encodeSchemaId` wrote. `undefined`: the value has another form. */
export function schemaGuidIn(value: Uint8Array): string | undefined {
  return value[0] === guidMagic && value.length > 17 ? formatGuid(Buffer.from(value).toString('hex', 1, 17)) : undefined
}

/** Of the message at the top level, then of those nested in it, without the entries of maps. */
function messageIndexes(message: DescMessage): number[] {
  const { parent, file } = message
  if (!parent) return [file.messages.indexOf(message)]
  return [...messageIndexes(parent), parent.nestedMessages.indexOf(message)]
}

/** A non-negative number as a zigzag varint. */
function zigzag(value: number): number[] {
  const bytes: number[] = []
  let rest = value * 2
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}
