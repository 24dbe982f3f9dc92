import type { DescEnum, DescEnumValue, DescField, DescFile, DescMessage, DescOneof } from '@bufbuild/protobuf'
import { scalarName } from './scalar-forms.ts'
import { reservedRanges } from './schema-set.ts'
import { commentOf, type Declaration } from './source-comments.ts'

/** With comments and imports, dependencies first, but without Google's files and options. */
export function formatProto(message: DescMessage): string {
  return [...ownFiles(message.file)].map(formatFile).join('\n')
}

function ownFiles(file: DescFile, found: Set<DescFile> = new Set()): Set<DescFile> {
  for (const dependency of file.dependencies) ownFiles(dependency, found)
  return isGoogles(file) ? found : found.add(file)
}

function isGoogles({ name }: DescFile): boolean {
  return name.startsWith('google/protobuf/')
}

function formatFile(file: DescFile): string {
  const blocks = [
    `// ${file.name}.proto\nsyntax = "proto3";\n`,
    ...(file.proto.package ? [`package ${file.proto.package};\n`] : []),
    file.dependencies.map(({ name }) => `import "${name}.proto";\n`).join(''),
    ...file.messages.map((message) => formatMessage(message, '')),
    ...file.enums.map((one) => formatEnum(one, '')),
  ]
  return blocks.filter((block) => block !== '').join('\n')
}

function formatMessage(message: DescMessage, indent: string): string {
  const inner = `${indent}  `
  const lines = [
    `${formatComment(message, indent)}${indent}message ${message.name} {\n`,
    ...formatReserved(message, inner),
    ...message.nestedEnums.map((one) => formatEnum(one, inner)),
    ...message.nestedMessages.map((one) => formatMessage(one, inner)),
    ...message.members.map((member) =>
      member.kind === 'oneof' ? formatOneof(member, inner) : formatField(member, inner),
    ),
    `${indent}}\n`,
  ]
  return lines.join('')
}

function formatOneof(oneof: DescOneof, indent: string): string {
  const lines = oneof.fields.map((field) => formatField(field, `${indent}  `))
  return `${formatComment(oneof, indent)}${indent}oneof ${oneof.name} {\n${lines.join('')}${indent}}\n`
}

function formatField(field: DescField, indent: string): string {
  const label = field.proto.proto3Optional ? 'optional ' : field.fieldKind === 'list' ? 'repeated ' : ''
  const comment = formatComment(field, indent)
  return `${comment}${indent}${label}${formatType(field)} ${field.name} = ${field.number};\n`
}

function formatType(field: DescField): string {
  const { scalar, message, enum: enumeration } = field
  const value = scalar === undefined ? shortName((message ?? enumeration)!, field.parent.file) : scalarName(scalar)
  return field.fieldKind === 'map' ? `map<${scalarName(field.mapKey)}, ${value}>` : value
}

function shortName({ typeName }: { readonly typeName: string }, file: DescFile): string {
  const prefix = `${file.proto.package}.`
  return typeName.startsWith(prefix) ? typeName.slice(prefix.length) : typeName
}

function formatEnum(one: DescEnum, indent: string): string {
  const values = one.values.map((value) => formatValue(value, `${indent}  `))
  const alias = one.proto.options?.allowAlias ? [`${indent}  option allow_alias = true;\n`] : []
  const reserved = formatReserved(one, `${indent}  `)
  const head = `${formatComment(one, indent)}${indent}enum ${one.name} {\n`
  return [head, ...alias, ...reserved, ...values, `${indent}}\n`].join('')
}

function formatValue(value: DescEnumValue, indent: string): string {
  return `${formatComment(value, indent)}${indent}${value.name} = ${value.number};\n`
}

function formatReserved(type: DescMessage | DescEnum, indent: string): string[] {
  const ranges = reservedRanges(type).map(({ start, end }) => (end - start === 1 ? start : `${start} to ${end - 1}`))
  const names = type.proto.reservedName.map((name) => `"${name}"`)
  return [ranges, names].filter((list) => list.length > 0).map((list) => `${indent}reserved ${list.join(', ')};\n`)
}

function formatComment(declaration: Declaration, indent: string): string {
  const lines = commentOf(declaration)?.split('\n') ?? []
  return lines.map((line) => `${indent}//${line && ` ${line}`}\n`).join('')
}
