import { type EventFragment, ParamType } from 'ethers'

export interface EventMessage {
  readonly event: EventFragment
  readonly message: string
  /** The name in the ABI without characters that a topic cannot have. */
  readonly topicEvent: string
  readonly fields: readonly EventField[]
}

export interface EventField {
  readonly name: string
  readonly param: ParamType
  /** Components of a tuple, or of the tuples in an array. */
  readonly components: readonly EventField[]
}

/** The place of the log, named as in `@headrace/evm`. */
const placeFields = ['ts', 'BlockNumber', 'BlockHash', 'TransactionHash', 'LogIndex', 'Address'] as const

/** Events with the same name are numbered: `Transfer`, `Transfer2`. Generated code needs messages in Pascal case. */
export function toMessages(events: readonly EventFragment[]): EventMessage[] {
  const messages = new Set<string>()
  const topics = new Set<string>()
  return events.map((event) => ({
    event,
    message: addUnique(messages, toMessageName(event.name)),
    topicEvent: addUnique(topics, event.name.replaceAll(/[^A-Za-z0-9_]/g, '').replace(/_+$/, '') || 'Event'),
    fields: toFields(event.inputs, placeFields),
  }))
}

/** A log contains only the hash of an indexed parameter that may be longer than 32 bytes. */
export function isHashed({ indexed, baseType }: ParamType): boolean {
  return indexed === true && ['string', 'bytes', 'array', 'tuple'].includes(baseType)
}

function toFields(params: readonly ParamType[], taken: readonly string[]): EventField[] {
  const used = new Set(taken.map(comparable))
  return params.map((param, index) => ({
    name: addUnique(used, fieldName(param, index), comparable),
    param,
    components: componentsOf(param),
  }))
}

function componentsOf(param: ParamType): EventField[] {
  if (param.isArray()) return componentsOf(param.arrayChildren)
  return param.isTuple() ? toFields(param.components, []) : []
}

/** Generated code uses these names. */
const reserved: readonly string[] = [
  ...['Config', 'Messages', 'DefinedSchema', 'Timestamp', 'BinaryWriter', 'MessageFns'],
  ...['Array', 'BigInt', 'Boolean', 'Error', 'Map', 'Number', 'Object', 'String', 'Uint8Array'],
]

function toMessageName(name: string): string {
  const camel = name.replaceAll(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())
  const capitalised = /^[A-Za-z]/.test(camel) ? `${camel[0]!.toUpperCase()}${camel.slice(1)}` : `Event${camel}`
  return reserved.includes(capitalised) ? `${capitalised}Event` : capitalised
}

/** Adds a number to a name that is used, i.e. whose key is in `used`. Adds the key of the new name. */
export function addUnique(used: Set<string>, name: string, keyOf: (name: string) => string = (key) => key): string {
  let unique = name
  for (let number = 2; used.has(keyOf(unique)); number++) unique = `${name}${number}`
  used.add(keyOf(unique))
  return unique
}

/** A parameter without a name becomes `arg0`, and a name that Solidity does not allow gets `Value`. */
function fieldName({ name }: ParamType, index: number): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]/g, '_').replaceAll(/^[_0-9]+|_+$/g, '') || `arg${index}`
  return fitsDeclaration(plain) ? plain : `${plain}Value`
}

/** Compilers of .proto files refuse fields whose names differ only in case and underscores. */
function comparable(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** `uint256 indexed` declares no parameter "indexed", nor does `uint256 uint8` declare "uint8". */
function fitsDeclaration(name: string): boolean {
  try {
    return ParamType.from(`uint256 ${name}`).name === name
  } catch {
    return false
  }
}
