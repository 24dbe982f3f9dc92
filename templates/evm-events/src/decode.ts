import type { RpcLog } from '@headrace/evm'
import { UserError } from '@headrace/sdk'
import { AbiCoder, EventFragment, getBytes, type ParamType, type Result } from 'ethers'

/** A log, decoded: the message that it becomes, and the fields of this message that its event has. */
export interface DecodedEvent {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Where a log is, for the words of an error. */
export interface LogPlace {
  readonly block: bigint
  readonly transaction: string
}

/** Decodes a log; `undefined` where it is none of the events. */
export type Decoder = (log: RpcLog, place: LogPlace) => DecodedEvent | undefined

export interface DecoderOptions {
  /**
   * Whether a log that begins as one of the events does, and cannot be decoded as it, is taken for another event. Among
   * all contracts of a chain there are such. Otherwise the ABI is not that of the contract, and the run ends.
   */
  readonly skipsOthers: boolean
}

const coder = AbiCoder.defaultAbiCoder()

/** Makes what decodes logs of some events, given as Solidity declares them, by message. */
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
        `Log ${Number(log.logIndex)} of ${log.address}, in transaction ${transaction} of block ${block}, is no ` +
          `${event.message} as src/events.ts declares it. Take the declaration from the ABI of this contract, or leave ` +
          'the contract out of setting "address". To pass over such logs, set skipsOthers in src/connector.ts to true.',
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

/** Events that differ in nothing but how many parameters are indexed have the same first topic. */
function knownEvent(message: string, { topicHash, inputs }: EventFragment): [topics: string, KnownEvent] {
  const [indexed, plain] = [inputs.filter(({ indexed }) => indexed), inputs.filter(({ indexed }) => !indexed)]
  return [`${topicHash} ${indexed.length + 1}`, { message, indexed, plain, plainTypes: plain.map(decodedType) }]
}

function fieldsOf({ topics, data }: RpcLog, { indexed, plain, plainTypes }: KnownEvent): DecodedEvent['fields'] {
  // Loose: some compilers have left the padding of the last word out.
  const values = coder.decode(plainTypes, data, true)
  return Object.fromEntries([
    ...indexed.map((param, index) => [param.name, topicField(param, topics[index + 1] ?? '0x')]),
    ...plain.map((param, index) => [param.name, toField(param, values[index])]),
  ])
}

/** Contracts may log text that is no UTF-8, which would not be decoded as text. In a log it looks as bytes do. */
function decodedType(param: ParamType): string {
  return param.format('sighash').replaceAll('string', 'bytes')
}

/** Of an indexed value that may be longer than a topic, the topic is the hash. */
function topicField(param: ParamType, topic: string): unknown {
  const isHash = param.isArray() || param.isTuple() || param.type === 'string' || param.type === 'bytes'
  return isHash ? getBytes(topic) : toField(param, coder.decode([param], topic)[0])
}

/** A decoded value as the .proto has it. */
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

/** A list of lists has a message between the two. */
function toItem(param: ParamType, value: unknown): unknown {
  const item = toField(param, value)
  return param.isArray() ? { values: item } : item
}
