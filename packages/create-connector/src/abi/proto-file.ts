import type { ParamType } from 'ethers'
import { type EventField, type EventMessage, isHashed } from './event-message.ts'
import { type ProtoType, protoType } from './proto-type.ts'

/** Fields of the event itself begin here: there is room for more that tells where its log lies. */
const firstField = 10

/** Makes the .proto file with a message for each event. */
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
  '// Every message begins with where its log lies. Then follow the parameters of its event: integers of more than 64 bits as',
  '// decimal text, since no integer of protobuf holds them and every language reads them so, addresses and bytes as bytes.',
]

function declareMessage({ event, message, fields }: EventMessage): string[] {
  return [
    `// ${event.format('full')}`,
    `message ${message} {`,
    ...[
      '// The time of its block.',
      'google.protobuf.Timestamp ts = 1;',
      'uint64 BlockNumber = 2;',
      '// 0x-prefixed lower-case hex.',
      'string BlockHash = 3;',
      'string TransactionHash = 4;',
      '// Place among the logs of the block, from 0.',
      'uint32 LogIndex = 5;',
      '// The contract.',
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
      ...(isHashed(param) ? [`// Of the indexed ${param.format('sighash')} the log holds nothing but this hash.`] : []),
      `${type.repeated ? 'repeated ' : ''}${type.name} ${name} = ${first + index};`,
    ]
  })
}

/** The message that a field is of, where the field needs one of its own. */
function declareItems({ name, items }: ProtoType, components: readonly EventField[]): string[] {
  if (items === undefined) return []
  const fields = items === 'components' ? declareFields(components, 1) : declareRow(items, components)
  return [`message ${name} {`, ...fields.map(indented), '}']
}

/** A list of lists needs a message between the two. */
function declareRow(row: ParamType, components: readonly EventField[]): string[] {
  return declareFields([{ name: 'values', param: row, components }], 1)
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`
}
