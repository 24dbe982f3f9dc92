import { InvalidEventFilterError } from '../errors.ts'
import type { EvmSettings } from '../source/block-source.ts'
import { type DeclaredEvent, headBytes, parseDeclaration } from './event-declaration.ts'
import type { ArgumentValue, EventFactory, EventFilter } from './event-filter.ts'
import { isAddress } from './event-log.ts'
import { toTopic, valuesOf } from './topic.ts'

/** A filter in terms of logs. Addresses and topics are in lower case. */
export interface LogFilter {
  /** `undefined`: any. */
  readonly addresses: ReadonlySet<string> | undefined
  /** Index of a factory, whose contracts are selected in addition to no address. */
  readonly factory: number | undefined
  /** By position. `undefined`: any. */
  readonly topics: readonly (ReadonlySet<string> | undefined)[]
  /** Number of topics of a log. `undefined`: any. */
  readonly topicCount: number | undefined
}

/** How contracts are found in the logs of a factory. */
export interface LogFactory {
  readonly addresses: ReadonlySet<string>
  readonly topic: string
  readonly topicCount: number
  /** The topic, or the byte of the data, at which the address of the contract is. */
  readonly place: { readonly topic: number } | { readonly byte: number }
  readonly start: number
}

export interface LogFilters {
  readonly filters: readonly LogFilter[]
  readonly factories: readonly LogFactory[]
}

/**
 * @param start The first block of the settings.
 * @throws {InvalidEventFilterError}
 */
export function parseFilters(events: readonly EventFilter[], start: EvmSettings['start']): LogFilters {
  if (!Array.isArray(events) || events.length === 0)
    throw new InvalidEventFilterError(
      undefined,
      'there are none, so nothing would be published. Give at least one, or {} for every event of every contract',
    )
  const factories = new Map<string, LogFactory>()
  const filters = events.map((filter, index) => parseFilter(filter, { place: index + 1, start, factories }))
  return { filters, factories: [...factories.values()] }
}

interface FilterContext {
  /** Of the filter, from 1. */
  readonly place: number
  readonly start: EvmSettings['start']
  readonly factories: Map<string, LogFactory>
}

function parseFilter(filter: EventFilter, { place, start, factories }: FilterContext): LogFilter {
  if (filter.address !== undefined && filter.factory !== undefined)
    throw new InvalidEventFilterError(place, 'it has an address and a factory. Write two filters, one with each')
  const event = filter.event === undefined ? undefined : parseEvent(filter.event, place, 'event')
  if (!event && filter.arguments !== undefined)
    throw new InvalidEventFilterError(
      place,
      'it has arguments without an event. Add the event whose parameters they are',
    )
  return {
    addresses: filter.address === undefined ? undefined : parseAddresses(filter.address, place, 'address'),
    factory: filter.factory && addFactory(factories, parseFactory(filter.factory, place, start)),
    topics: event ? [new Set([event.topic]), ...argumentTopics(event, filter.arguments ?? {}, place)] : [],
    topicCount: event && 1 + event.indexed.length,
  }
}

function parseEvent(text: string, place: number, field: string): DeclaredEvent {
  const parsed = parseDeclaration(String(text))
  if (typeof parsed !== 'string') return parsed
  throw new InvalidEventFilterError(
    place,
    `its ${field} "${text}" cannot be used: ${parsed}. Write the declaration in the source of the contract, like ` +
      '"Transfer(address indexed from, address indexed to, uint256 value)"',
  )
}

function parseAddresses(given: string | readonly string[], place: number, field: string): ReadonlySet<string> {
  const addresses = [given].flat()
  if (addresses.length === 0)
    throw new InvalidEventFilterError(place, `its ${field} is an empty list. Add an address, or omit "${field}"`)
  const wrong = addresses.find((address) => !isAddress(address))
  if (wrong !== undefined)
    throw new InvalidEventFilterError(
      place,
      `its ${field} has "${wrong}", which is not 0x and 40 hex digits. Correct it`,
    )
  return new Set(addresses.map((address) => address.toLowerCase()))
}

/** By position, from the first indexed parameter up to the last one with values. */
function argumentTopics(
  { indexed }: DeclaredEvent,
  given: NonNullable<EventFilter['arguments']>,
  place: number,
): (ReadonlySet<string> | undefined)[] {
  const names = indexed.map(({ name }) => name)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new InvalidEventFilterError(
      place,
      `it has a value for "${unknown}", which is no indexed parameter of its event. Only indexed ones can be selected: ` +
        `${names.map((name) => `"${name}"`).join(', ') || 'this event has none'}`,
    )
  const topics = indexed.map(({ name, type }) => {
    const values = name === undefined ? undefined : given[name]
    return values === undefined ? undefined : valueTopics({ name: name!, type }, [values].flat(), place)
  })
  return topics.slice(0, topics.findLastIndex((each) => each !== undefined) + 1)
}

function valueTopics(
  { name, type }: { readonly name: string; readonly type: string },
  values: readonly ArgumentValue[],
  place: number,
): ReadonlySet<string> {
  const allowed = valuesOf(type)
  if (allowed === undefined)
    throw new InvalidEventFilterError(
      place,
      `it has a value for "${name}" of type ${type}. Values of lists and structs cannot be selected. Remove it`,
    )
  if (values.length === 0)
    throw new InvalidEventFilterError(
      place,
      `its list of values for "${name}" is empty. Add a value, or omit "${name}"`,
    )
  return new Set(
    values.map((value) => {
      const topic = toTopic(type, value)
      if (topic !== undefined) return topic
      throw new InvalidEventFilterError(place, `its value ${show(value)} for "${name}" is not ${allowed}. Correct it`)
    }),
  )
}

function show(value: unknown): string {
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value)
}

function parseFactory(factory: EventFactory, place: number, firstBlock: EvmSettings['start']): LogFactory {
  const { address, event: text, argument, start = firstBlock } = factory
  const event = parseEvent(text, place, 'factory.event')
  const at = placeOf(event, argument)
  if (!at)
    throw new InvalidEventFilterError(
      place,
      `"${argument}" is no parameter of type address of its factory.event. Give the name of the one that is the created ` +
        'contract in "argument"',
    )
  if (start === 'latest')
    throw new InvalidEventFilterError(
      place,
      'its contracts would be unknown after a restart, because the setting "start" is "latest". Set factory.start to the ' +
        'block that created the factory',
    )
  const from = start === 'earliest' ? 0 : start
  if (!(Number.isSafeInteger(from) && from >= 0))
    throw new InvalidEventFilterError(place, `its factory.start ${from} is not the number of a block. Set one, from 0`)
  const addresses = parseAddresses(address, place, 'factory.address')
  return { addresses, topic: event.topic, topicCount: 1 + event.indexed.length, place: at, start: from }
}

function placeOf({ indexed, plain }: DeclaredEvent, argument: string): LogFactory['place'] | undefined {
  const isWanted = ({ name, type }: { name?: string | undefined; type: string }) =>
    name === argument && type === 'address'
  const topic = indexed.findIndex(isWanted)
  if (topic >= 0) return { topic: 1 + topic }
  const index = plain.findIndex(isWanted)
  if (index < 0) return undefined
  return { byte: plain.slice(0, index).reduce((sum, parameter) => sum + headBytes(parameter), 0) }
}

/** Selects the events with which a factory creates contracts. */
export function creationFilter({ addresses, topic, topicCount }: LogFactory): LogFilter {
  return { addresses, factory: undefined, topics: [new Set([topic])], topicCount }
}

/** The index of the factory. Equal ones are found once. */
function addFactory(factories: Map<string, LogFactory>, factory: LogFactory): number {
  const key = JSON.stringify([
    [...factory.addresses].sort(),
    factory.topic,
    factory.topicCount,
    factory.place,
    factory.start,
  ])
  if (!factories.has(key)) factories.set(key, factory)
  return [...factories.keys()].indexOf(key)
}
