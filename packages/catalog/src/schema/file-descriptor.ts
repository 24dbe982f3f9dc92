import { create, type DescMessage, fromJson, type MessageShape } from '@bufbuild/protobuf'
import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  EnumOptionsSchema,
  EnumValueOptionsSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  MessageOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import protobuf from 'protobufjs'
import type { ProtoFile } from './proto-files.ts'

export type TypeKind = 'message' | 'enum'

/** `undefined`: unknown, and reported. */
export type ResolveType = (
  reference: string,
  owner: protobuf.ReflectionObject,
) => { name: string; kind: TypeKind } | undefined

/**
 * As protoc and buf, without extensions, custom options, services and comments, which `addComments` adds. `toDescriptor`
 * of protobufjs would join the files of a package, and drop imports and default JSON names.
 */
export function createFileDescriptor(file: ProtoFile, resolve: ResolveType): FileDescriptorProto {
  const imports = file.declarations.filter(({ kind }) => kind === 'import')
  const { messages, enumType } = nestedIn(file.namespace, resolve)
  return create(FileDescriptorProtoSchema, {
    name: file.name,
    package: file.package,
    syntax: 'proto3',
    dependency: imports.map(({ name }) => name),
    publicDependency: imports.flatMap((one, index) => (one.public ? [index] : [])),
    messageType: messages,
    enumType,
    ...optionsOf(FileOptionsSchema, file.namespace),
  })
}

function nestedIn({ nestedArray }: protobuf.NamespaceBase, resolve: ResolveType) {
  const types = nestedArray.filter((nested) => nested instanceof protobuf.Type)
  const enums = nestedArray.filter((nested) => nested instanceof protobuf.Enum)
  return { messages: types.map((type) => createMessage(type, resolve)), enumType: enums.map(createEnum) }
}

function createMessage(type: protobuf.Type, resolve: ResolveType): DescriptorProto {
  const { messages, enumType } = nestedIn(type, resolve)
  const fields = [...type.fieldsArray]
  const real = type.oneofsArray.filter((oneof) => !oneof.fieldsArray.some(isOptional))
  const optional = fields.filter(isOptional)
  // An `optional` field is the only member of a synthetic oneof, after the declared ones.
  const oneofNames = [...real.map(({ name }) => name), ...optional.map(({ name }) => `_${name}`)]
  const oneofOf = (field: protobuf.Field): number | undefined => {
    if (isOptional(field)) return real.length + optional.indexOf(field)
    return field.partOf ? real.indexOf(field.partOf) : undefined
  }
  const maps = fields.filter((field) => field instanceof protobuf.MapField)
  return create(DescriptorProtoSchema, {
    name: type.name,
    field: fields.map((field) => createField(field, oneofOf(field), resolve)),
    nestedType: [...messages, ...maps.map((map) => createEntry(map, resolve))],
    enumType,
    oneofDecl: oneofNames.map((name) => ({ name })),
    ...reservationsOf(type, 1),
    ...optionsOf(MessageOptionsSchema, type),
  })
}

function isOptional(field: protobuf.Field): boolean {
  return field.options?.proto3_optional === true
}

function createField(field: protobuf.Field, oneof: number | undefined, resolve: ResolveType): FieldDescriptorProto {
  const isMap = field instanceof protobuf.MapField
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    number: field.id,
    label: isMap || field.repeated ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...(isMap ? entryType(field) : typeOf(field.type, field, resolve)),
    jsonName: field.options?.json_name ?? protoCamelCase(field.name),
    ...(oneof !== undefined && { oneofIndex: oneof }),
    ...(isOptional(field) && { proto3Optional: true }),
    ...optionsOf(FieldOptionsSchema, field),
  })
}

type FieldType = Pick<FieldDescriptorProto, 'type'> & { readonly typeName?: string }

function entryType(map: protobuf.MapField): FieldType {
  return { type: FieldDescriptorProto_Type.MESSAGE, typeName: `${map.parent!.fullName}.${entryName(map)}` }
}

export function entryName(map: protobuf.MapField): string {
  const camel = protoCamelCase(map.name)
  return `${camel[0]!.toUpperCase()}${camel.slice(1)}Entry`
}

function createEntry(map: protobuf.MapField, resolve: ResolveType): DescriptorProto {
  const label = FieldDescriptorProto_Label.OPTIONAL
  const key = { name: 'key', number: 1, label, jsonName: 'key', ...typeOf(map.keyType, map, resolve) }
  const value = { name: 'value', number: 2, label, jsonName: 'value', ...typeOf(map.type, map, resolve) }
  return create(DescriptorProtoSchema, { name: entryName(map), field: [key, value], options: { mapEntry: true } })
}

function typeOf(reference: string, field: protobuf.FieldBase, resolve: ResolveType): FieldType {
  const scalar = scalarTypes.get(reference)
  if (scalar !== undefined) return { type: scalar }
  const found = resolve(reference, field)
  const kind = found?.kind === 'enum' ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE
  return { type: kind, typeName: `.${found?.name ?? reference}` }
}

function createEnum(type: protobuf.Enum): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name: type.name,
    value: Object.entries(type.values).map(([name, number]) => ({
      name,
      number,
      ...optionsOf(EnumValueOptionsSchema, type, type.valuesOptions?.[name]),
    })),
    ...reservationsOf(type, 0),
    ...optionsOf(EnumOptionsSchema, type),
  })
}

/** @param open - 1 if ranges have an exclusive end. */
function reservationsOf({ reserved = [] }: protobuf.Type | protobuf.Enum, open: 0 | 1) {
  const ranges = reserved.filter((one) => typeof one !== 'string')
  return {
    reservedName: reserved.filter((one) => typeof one === 'string'),
    reservedRange: ranges.map(([start, end]) => ({ start: start!, end: end! + open })),
  }
}

/** A standard option has a value of another type. */
export class InvalidOptionError extends Error {
  readonly owner: protobuf.ReflectionObject

  constructor(owner: protobuf.ReflectionObject, cause: unknown) {
    super((cause as Error).message, { cause })
    this.owner = owner
  }
}

function optionsOf<Schema extends DescMessage>(
  schema: Schema,
  owner: protobuf.ReflectionObject,
  options: Readonly<Record<string, unknown>> | null | undefined = owner.options,
): { options?: MessageShape<Schema> } {
  const known = Object.entries(options ?? {}).filter(([name]) => schema.fields.some((field) => field.name === name))
  if (known.length === 0) return {}
  try {
    return { options: fromJson(schema, Object.fromEntries(known) as never) }
  } catch (cause) {
    throw new InvalidOptionError(owner, cause)
  }
}

const scalarTypes: ReadonlyMap<string, FieldDescriptorProto_Type> = new Map(
  Object.entries(FieldDescriptorProto_Type).flatMap(([name, type]) =>
    typeof type === 'number' && !/^(MESSAGE|ENUM|GROUP)$/.test(name) ? [[name.toLowerCase(), type]] : [],
  ),
)
