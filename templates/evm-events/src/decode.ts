import type { RpcLog } from '@headrace/evm'
import { UserError } from '@headrace/sdk'
import { AbiCoder, EventFragment, getBytes, type ParamType, type Result } from 'ethers'

/** The message for a log, and its fields from the event. */
export interface DecodedEvent {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The position of a log, for error messages. */
export interface LogPosition {
  readonly block: number
  readonly transaction: string
}

/** Decodes a log; `undefined` if it is not one of the events. */
export type Decoder = (log: RpcLog, position: LogPosition) => DecodedEvent | undefined

export interface DecoderOptions {
  /**
   * Whether to skip a log that has the topics of an event but cannot be decoded. Among all contracts of a chain there
   * are such logs. With chosen contracts it means that the ABI is wrong, and the run should end.
   */
  readonly skipsOthers: boolean
}

const coder = AbiCoder.defaultAbiCoder()

/** Creates a decoder for events, given as Solidity declarations by the name of their message. */
export function createDecoder(events: Readonly<Record<string, string>>, { skipsOthers }: DecoderOptions): Decoder {
  const known = new Map(Object.entries(events).map(([message, text]) => knownEvent(message, EventFragment.from(text))))
  return (log, { block, transaction }) => {
    const event = known.get(`${log.topics[0]} ${log.topics.length}`)
    if (!event) return undefined
    try {
      return { message: event.message, fields: fieldsOf(log, event) }
    } catch (error) {
      if (skipsOthers) return undefined
      throw new UserError(
        'undecodable_log',
        `Log ${Number(log.logIndex)} of ${log.address}, in transaction ${transaction} of block ${block}, does not ` +
          `match the declaration of ${event.message} in src/events.ts. Use the declaration in the ABI of this ` +
          'contract, or remove the contract from the setting "address". To skip such logs, set skipsOthers in ' +
          'src/connector.ts to true.',
        { cause: error },
      )
    }
  }
}

interface KnownEvent {
  readonly message: string
  readonly indexed: readonly ParamType[]
  readonly plain: readonly ParamType[]
  readonly plainTypes: readonly string[]
}

/** The key has the number of topics too, because events that differ only in indexed parameters have the same hash. */
function knownEvent(message: string, { topicHash, inputs }: EventFragment): [topics: string, KnownEvent] {
  const [indexed, plain] = [inputs.filter(({ indexed }) => indexed), inputs.filter(({ indexed }) => !indexed)]
  return [`${topicHash} ${indexed.length + 1}`, { message, indexed, plain, plainTypes: plain.map(decodedType) }]
}

function fieldsOf({ topics, data }: RpcLog, { indexed, plain, plainTypes }: KnownEvent): DecodedEvent['fields'] {
  // `true` allows missing padding in the last word, which some compilers omit.
  const values = coder.decode(plainTypes, data, true)
  return Object.fromEntries([
    ...indexed.map((param, index) => [param.name, topicField(param, topics[index + 1] ?? '0x')]),
    ...plain.map((param, index) => [param.name, toField(param, values[index])]),
  ])
}

/** Decodes strings as bytes, which have the same encoding, because contracts may log text that is not UTF-8. */
function decodedType(param: ParamType): string {
  return param.format('sighash').replaceAll('string', 'bytes')
}

/** The topic of an indexed value that may be longer than 32 bytes is its hash. */
function topicField(param: ParamType, topic: string): unknown {
  const isHash = param.isArray() || param.isTuple() || param.type === 'string' || param.type === 'bytes'
  return isHash ? getBytes(topic) : toField(param, coder.decode([param], topic)[0])
}

/** Converts a decoded value to the type of its field in the .proto. */
function toField(param: ParamType, value: unknown): unknown {
  if (param.isArray()) return Array.from(value as Result, (item) => toItem(param.arrayChildren, item))
  if (param.isTuple()) return Object.fromEntries(param.components.map((each, index) => component(each, value, index)))
  if (param.type === 'bool') return value
  if (param.type === 'string') return Buffer.from(getBytes(value as string)).toString()
  const bits = /int(\d+)$/.exec(param.type)?.[1]
  if (bits === undefined) return getBytes(value as string)
  return Number(bits) <= 64 ? value : String(value)
}

function component(param: ParamType, tuple: unknown, index: number): [name: string, field: unknown] {
  return [param.name, toField(param, (tuple as Result)[index])]
}

/** Wraps an inner list in a message, because protobuf has no list of lists. */
function toItem(param: ParamType, value: unknown): unknown {
  const item = toField(param, value)
  return param.isArray() ? { values: item } : item
}
