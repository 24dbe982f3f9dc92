import type { DescEnum, DescEnumValue, DescField, DescFile, DescMessage, DescOneof, Message } from '@bufbuild/protobuf'
import { protoCamelCase, reflect } from '@bufbuild/protobuf/reflect'
import {
  EnumOptionsSchema,
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  FileOptionsSchema,
  MessageOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { scalarName } from '../schema/scalar-forms.ts'
import { reservedRanges } from '../schema/schema-set.ts'

/**
 * A file as Confluent's registry stores it, whether it normalizes schemas or not: without comments, in its layout, fields
 * in order of their numbers, types with their full names. The registry then computes the same GUID from it. This text is
 * hashed into records, so it never changes for equal descriptors.
 */
export function canonicalProto(file: DescFile): string {
  const { publicDependency, dependency } = file.proto
  const imported = dependency.filter((_, index) => !publicDependency.includes(index)).sort()
  const publicly = publicDependency.map((index) => dependency[index]!).sort()
  const head = `syntax = "proto3";\n${file.proto.package ? `package ${file.proto.package};\n` : ''}`
  const sections = [
    [...imported.map((name) => `import "${name}";\n`), ...publicly.map((name) => `import public "${name}";\n`)],
    optionLines(file, FileOptionsSchema),
    [...file.messages.map(messageText), ...file.enums.map(enumText)],
  ]
  return `${head}${joinSections(sections)}`
}

function messageText(message: DescMessage): string {
  const oneofs = message.oneofs.map((oneof) => ({ oneof, first: Math.min(...oneof.fields.map(numberOf)) }))
  const sections = [
    reservedLines(message),
    optionLines(message, MessageOptionsSchema),
    sortByNumber(message.fields.filter(({ oneof }) => oneof === undefined)).map(fieldText),
    oneofs.sort((one, other) => one.first - other.first).map(({ oneof }) => oneofText(oneof)),
    [...message.nestedMessages.map(messageText), ...message.nestedEnums.map(enumText)],
  ]
  return block(`message ${message.name}`, joinSections(sections.map(indented)))
}

function oneofText(oneof: DescOneof): string {
  return block(`oneof ${oneof.name}`, joinSections([indented(sortByNumber(oneof.fields).map(fieldText))]))
}

function fieldText(field: DescField): string {
  const label = field.proto.proto3Optional ? 'optional ' : field.fieldKind === 'list' ? 'repeated ' : ''
  const options = optionsOf(field, FieldOptionsSchema)
  if (field.proto.jsonName && field.proto.jsonName !== protoCamelCase(field.name))
    options.push(`json_name = ${quoted(field.proto.jsonName)}`)
  return `${label}${typeText(field)} ${field.name} = ${field.number}${inlineOptions(options)};\n`
}

function typeText(field: DescField): string {
  const { scalar, message, enum: enumeration } = field
  const value = scalar === undefined ? `.${(message ?? enumeration)!.typeName}` : scalarName(scalar)
  return field.fieldKind === 'map' ? `map<${scalarName(field.mapKey)}, ${value}>` : value
}

function enumText(one: DescEnum): string {
  const lines = [
    ...reservedLines(one),
    ...optionLines(one, EnumOptionsSchema),
    ...orderValues(one.values).map(valueText),
  ]
  return block(`enum ${one.name}`, joinSections([lines.map(indent)]))
}

/** The first value must be 0: a normalizing registry writes an invalid schema if there are negative ones. */
function orderValues(values: readonly DescEnumValue[]): readonly DescEnumValue[] {
  if (values.some(({ number }) => number < 0)) return values
  return [...values].sort((one, other) => one.number - other.number || (one.name < other.name ? -1 : 1))
}

function valueText(value: DescEnumValue): string {
  return `${value.name} = ${value.number}${inlineOptions(optionsOf(value, EnumValueOptionsSchema))};\n`
}

/** From there on, the registry writes "max". */
const lastNumber = 536_870_911

function reservedLines(type: DescMessage | DescEnum): string[] {
  const ranges = [...reservedRanges(type)].sort((one, other) => one.start - other.start)
  const numbers = ranges.map(({ start, end }) =>
    end - start === 1 ? start : `${start} to ${end - 1 < lastNumber ? end - 1 : 'max'}`,
  )
  const names = type.proto.reservedName.map((name) => `"${name}"`).sort()
  return [...numbers, ...names].map((one) => `reserved ${one};\n`)
}

function optionLines(declaration: DeclarationWithOptions, schema: DescMessage): string[] {
  return optionsOf(declaration, schema).map((option) => `option ${option};\n`)
}

interface DeclarationWithOptions {
  readonly proto: { readonly options?: Message | undefined }
}

/** Sorted by name. Descriptors hold no options other than the standard ones. */
function optionsOf({ proto: { options } }: DeclarationWithOptions, schema: DescMessage): string[] {
  if (!options) return []
  const reflected = reflect(schema, options)
  return schema.fields
    .filter((field) => field.fieldKind !== 'message' && reflected.isSet(field))
    .map((field) => `${field.name} = ${optionText(field, reflected.get(field))}`)
    .sort()
}

function optionText(field: DescField, value: unknown): string {
  if (field.fieldKind === 'enum') return field.enum.value[Number(value)]!.name
  return typeof value === 'string' ? quoted(value) : String(value)
}

function inlineOptions(options: readonly string[]): string {
  if (options.length < 2) return options.length === 0 ? '' : ` [${options[0]}]`
  return ` [\n${options.map((option) => `  ${option}`).join(',\n')}\n]`
}

function quoted(text: string): string {
  return `"${Array.from(text, (character) => escapes[character] ?? character).join('')}"`
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v' },
  ...{ '\\': '\\\\', "'": "\\'", '"': '\\"' },
}

function sortByNumber(fields: readonly DescField[]): DescField[] {
  return [...fields].sort((one, other) => one.number - other.number)
}

function numberOf({ number }: DescField): number {
  return number
}

function block(head: string, content: string): string {
  return `${head} {${content}}\n`
}

/** An empty line is between sections. */
function joinSections(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.join('')}`)
    .join('')
}

function indented(blocks: readonly string[]): string[] {
  return blocks.map(indent)
}

/** Empty lines too. */
function indent(text: string): string {
  const lines = text.slice(0, -1).split('\n')
  return lines.map((line) => `  ${line}\n`).join('')
}
