import type { Random } from '../../../testbed/random.ts'

const messages = ['First', 'Second', 'Third', 'Fourth']
const scalars = [
  ...['double', 'float', 'int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64'],
  ...['fixed32', 'fixed64', 'sfixed32', 'sfixed64', 'bool', 'string', 'bytes'],
]
const unpackable = ['string', 'bytes']
const keys = scalars.filter((type) => !['double', 'float', 'bytes'].includes(type))
const enums = ['Colour', 'First.Size']
const wellKnown = [
  ...['Timestamp', 'Duration', 'Any', 'Struct', 'Value', 'ListValue', 'FieldMask', 'Empty', 'NullValue', 'BoolValue'],
  ...[
    'BytesValue',
    'DoubleValue',
    'FloatValue',
    'Int32Value',
    'Int64Value',
    'StringValue',
    'UInt32Value',
    'UInt64Value',
  ],
].map((name) => `google.protobuf.${name}`)
const imports = ['any', 'duration', 'empty', 'field_mask', 'struct', 'timestamp', 'wrappers']
/** The part before the number in a name. The forms cover all differences between JSON names and original names. */
const nameForms = ['plain', 'with_parts', 'CamelCase', 'under__score_', 'digit_1_', '_leading', 'UPPER_']

/** A .proto file with four messages that contain scalars, enums, well-known types and each other, in every cardinality. */
export function randomSchema(random: Random): string {
  return [
    'syntax = "proto3";',
    'package random;',
    ...imports.map((name) => `import "google/protobuf/${name}.proto";`),
    'enum Colour { option allow_alias = true; NONE = 0; RED = 1; ROUGE = 1; FAR = 2147483647; BELOW = -5; }',
    ...messages.map((name) => messageOf(name, random)),
  ].join('\n')
}

function messageOf(name: string, random: Random): string {
  const numbers = fieldNumbers(random, 3 + random.integer(12))
  const fields = numbers.map((number, index) => fieldOf(number, `${random.pick(nameForms)}${index}`, random))
  const inOneof = (group: number) => fields.filter(({ oneof }) => oneof === group).map(({ line }) => `    ${line}`)
  const oneofs = [1, 2].map((group) => ({ group, lines: inOneof(group) })).filter(({ lines }) => lines.length > 0)
  return [
    `message ${name} {`,
    ...(name === 'First' ? ['  enum Size { SMALL = 0; LARGE = 7; }'] : []),
    ...fields.filter(({ oneof }) => oneof === 0).map(({ line }) => `  ${line}`),
    ...oneofs.flatMap(({ group, lines }) => [`  oneof choice${group} {`, ...lines, '  }']),
    '}',
  ].join('\n')
}

function fieldOf(number: number, name: string, random: Random): { readonly line: string; readonly oneof: number } {
  const type = random.pick([scalars, scalars, enums, messages, wellKnown])
  const value = random.pick(type)
  const ends = `${name} = ${number}`
  switch (random.integer(6)) {
    case 0:
      return { line: `optional ${value} ${ends};`, oneof: 0 }
    case 1: {
      const isNumber = (type === scalars && !unpackable.includes(value)) || type === enums
      const packed = isNumber && random.integer(2) === 0 ? ` [packed = ${random.pick(['true', 'false'])}]` : ''
      return { line: `repeated ${value} ${ends}${packed};`, oneof: 0 }
    }
    case 2:
      return { line: `map<${random.pick(keys)}, ${value}> ${ends};`, oneof: 0 }
    case 3:
      return { line: `${value} ${ends};`, oneof: 1 + random.integer(2) }
    default:
      return { line: `${value} ${ends};`, oneof: 0 }
  }
}

/** Mostly small numbers, and some whose tags take up to five bytes, in random order. */
function fieldNumbers(random: Random, count: number): number[] {
  const numbers = new Set<number>()
  while (numbers.size < count)
    numbers.add(1 + random.integer(random.pick([15, 100, 300, 4000])) + random.pick([0, 0, 0, 10_000, 536_000_000]))
  return [...numbers]
}
