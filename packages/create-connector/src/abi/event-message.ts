import type { EventFragment, ParamType } from 'ethers'
import { uniqueFieldNames } from './field-names.ts'
import { messageNames } from './message-names.ts'

/** An event and the message that it becomes. */
export interface EventMessage {
  readonly event: EventFragment
  /** Name of the message, in the .proto and in code. */
  readonly message: string
  /** `<EventName>` in the name of the topic: as the ABI has it, where a topic can have it. */
  readonly topicEvent: string
  readonly fields: readonly EventField[]
}

/** A parameter of an event, or a component of a tuple, and the field that it becomes. */
export interface EventField {
  readonly name: string
  readonly param: ParamType
  /** Those of a tuple, or of the tuples in an array. */
  readonly components: readonly EventField[]
}

/** The fields of every message, before those of its event: where the log lies. Names are those of `@headrace/evm`. */
export const placeFields = ['ts', 'BlockNumber', 'BlockHash', 'TransactionHash', 'LogIndex', 'Address'] as const

/** Names the messages of events and their fields, each name once where it has to be. */
export function toMessages(events: readonly EventFragment[]): EventMessage[] {
  const names = messageNames(events.map(({ name }) => name))
  return events.map((event, index) => ({ event, ...names[index]!, fields: toFields(event.inputs, placeFields) }))
}

/** Whether only the hash of a parameter is in the log: an indexed value that may be longer than 32 bytes. */
export function isHashed({ indexed, baseType }: ParamType): boolean {
  return indexed === true && ['string', 'bytes', 'array', 'tuple'].includes(baseType)
}

/** What an array holds, or what the arrays in it hold. */
export function innermost(param: ParamType): ParamType {
  return param.isArray() ? innermost(param.arrayChildren) : param
}

function toFields(params: readonly ParamType[], taken: readonly string[]): EventField[] {
  const names = uniqueFieldNames(
    params.map(({ name }) => name),
    taken,
  )
  return params.map((param, index) => ({ name: names[index]!, param, components: componentsOf(param) }))
}

function componentsOf(param: ParamType): EventField[] {
  const inner = innermost(param)
  return inner.isTuple() ? toFields(inner.components, []) : []
}
