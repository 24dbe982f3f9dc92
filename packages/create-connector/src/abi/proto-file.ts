import type { ParamType } from 'ethers'
import { addUnique, type EventField, type EventMessage, isHashed } from './event-message.ts'

/** Number of the first field of the event itself. Lower numbers are for the place of the log. */
const firstField = 10

export function makeProto(contract: string, messages: readonly EventMessage[]): string {
  return [
    'syntax = "proto3";',
    '',
    `package ${contract.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')};`,
    '',
    'import "google/protobuf/timestamp.proto";',
    '',
    ...explanation,
    ...messages.flatMap((each) => ['', ...declareMessage(each)]),
    '',
  ].join('\n')
}

const explanation = [
  '// Each message begins with the place of its log, followed by the parameters of its event. Integers of more than 64 bits',
  '// are decimal text, because protobuf has no larger integers. Addresses and bytes are bytes.',
]

function declareMessage({ event, message, fields }: EventMessage): string[] {
  return [
    `// ${event.format('full')}`,
    `message ${message} {`,
    ...[
      '// Time of the block.',
      'google.protobuf.Timestamp ts = 1;',
      'uint64 BlockNumber = 2;',
      '// 0x-prefixed lower-case hex.',
      'string BlockHash = 3;',
      'string TransactionHash = 4;',
      '// Index among the logs of the block, from 0.',
      'uint32 LogIndex = 5;',
      '// The contract that emitted the log.',
      'bytes Address = 6;',
      ...(fields.length > 0 ? [''] : []),
      ...declareFields(fields, firstField),
    ].map(indented),
    '}',
  ]
}

function declareFields(fields: readonly EventField[], first: number): string[] {
  const taken = new Set(fields.map(({ name }) => name))
  return fields.flatMap(({ name, param, components }, index) => {
    const type = protoType(param, name, taken)
    return [
      ...declareItems(type, components),
      ...(isHashed(param)
        ? [`// Hash of the indexed ${param.format('sighash')}: the log does not contain the value.`]
        : []),
      `${type.repeated ? 'repeated ' : ''}${type.name} ${name} = ${first + index};`,
    ]
  })
}

function declareItems({ name, items }: ProtoType, components: readonly EventField[]): string[] {
  if (items === undefined) return []
  // protobuf has no nested lists, so a list of lists needs a message.
  const fields = items === 'components' ? components : [{ name: 'values', param: items, components }]
  return [`message ${name} {`, ...declareFields(fields, 1).map(indented), '}']
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`
}

interface ProtoType {
  readonly name: string
  readonly repeated: boolean
  readonly items?: 'components' | ParamType
}

function protoType(param: ParamType, fieldName: string, taken: Set<string>): ProtoType {
  if (isHashed(param)) return { name: 'bytes', repeated: false }
  if (!param.isArray()) return typeOfOne(param, fieldName, taken)
  const item = param.arrayChildren
  if (!item.isArray()) return { ...typeOfOne(item, fieldName, taken), repeated: true }
  return { name: messageName(`${fieldName}Row`, taken), repeated: true, items: item }
}

function typeOfOne(param: ParamType, fieldName: string, taken: Set<string>): ProtoType {
  if (param.isTuple()) return { name: messageName(fieldName, taken), repeated: false, items: 'components' }
  return { name: scalar(param.type), repeated: false }
}

function scalar(type: string): string {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? []
  if (bits !== undefined) return Number(bits) <= 64 ? `${unsigned}int64` : 'string'
  return type === 'bool' || type === 'string' ? type : 'bytes'
}

function messageName(fieldName: string, taken: Set<string>): string {
  return addUnique(taken, `${fieldName[0]!.toUpperCase()}${fieldName.slice(1)}`)
}
