import { id } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { ArgumentValue, EventFilter } from './event-filter.ts'
import { parseFilters } from './log-filter.ts'

const address = `0x${'Ab'.repeat(20)}`
const word = (hex: string) => `0x${hex.padStart(64, '0')}`
const parse = (filter: EventFilter) => parseFilters([filter], 0)
const topics = (filter: EventFilter) => parse(filter).filters[0]!.topics.map((values) => values && [...values])

describe('parseFilters', () => {
  test.each([
    ['Transfer(address indexed from, address indexed to, uint256 value)', 'Transfer(address,address,uint256)', 3],
    ['event Transfer(address indexed, address indexed, uint);', 'Transfer(address,address,uint256)', 3],
    [
      'Of(tuple(uint256 of, string[] final)[2] indexed var, (bool, int)[] x)',
      'Of((uint256,string[])[2],(bool,int256)[])',
      2,
    ],
    ['  Empty( )', 'Empty()', 1],
    ['E(address payable indexed_, bytes3 indexed $x)', 'E(address,bytes3)', 2],
  ])('takes the topic of %s from its signature', (event, signature, topicCount) => {
    const [filter] = parse({ event }).filters
    expect([...filter!.topics[0]!]).toEqual([id(signature)])
    expect(filter!.topicCount).toBe(topicCount)
  })

  const values: readonly (readonly [type: string, value: ArgumentValue, topic: string])[] = [
    ['address', address, word('ab'.repeat(20))],
    ['bool', true, word('1')],
    ['uint8', 255, word('ff')],
    ['uint256', 2n ** 256n - 1n, word('f'.repeat(64))],
    ['uint256', '0x10', word('10')],
    ['int8', -128, word(`${'f'.repeat(62)}80`)],
    ['int256', '-1', word('f'.repeat(64))],
    ['bytes4', '0xA1b2c3d4', `0xa1b2c3d4${'0'.repeat(56)}`],
    ['bytes32', word('7'), word('7')],
    ['string', 'größer', id('größer')],
    ['bytes', '0x616263', id('abc')],
  ]
  test.each(values)('selects %s %s by its topic', (type, value, topic) => {
    const event = `E(uint8 indexed first, ${type} indexed second)`
    expect(topics({ event, arguments: { second: [value, value] } })).toEqual([expect.anything(), undefined, [topic]])
  })

  const factory = {
    address,
    event: 'Made(uint8[2] a, (bool b, uint8[3] c) d, string e, address pool)',
    argument: 'pool',
  }
  test('finds the place of the contract that a factory creates', () => {
    const place = (changes: object) => parse({ factory: { ...factory, ...changes } }).factories[0]!.place
    expect(place({})).toEqual({ byte: 32 * (2 + 4 + 1) })
    expect(place({ event: 'Made(uint8 indexed a, address indexed pool, address b)' })).toEqual({ topic: 2 })
  })

  test('finds the contracts of equal factories once', () => {
    const { filters, factories } = parseFilters(
      [{ factory }, { event: 'E()', factory }, { factory: { ...factory, start: 5 } }],
      0,
    )
    expect(filters.map((filter) => filter.factory)).toEqual([0, 0, 1])
    expect(factories.map(({ start }) => start)).toEqual([0, 5])
  })

  const wrong: readonly (readonly [EventFilter, string])[] = [
    [{ event: 'Transfer' }, 'its event "Transfer" cannot be used: Unknown signature'],
    [{ event: 'Transfer(adress a)' }, 'Unknown type'],
    [{ event: 'E(uint8 a) anonymous' }, 'it is anonymous'],
    [{ event: 'E(bool indexed a, bool indexed b, bool indexed c, bool indexed d)' }, 'it has 4 indexed parameters'],
    [{ arguments: { a: 1 } }, 'it has arguments without an event'],
    [
      { event: 'E(uint8 indexed a, uint8 b)', arguments: { b: 1 } },
      '"b", which is no indexed parameter of its event. Only indexed ones can be selected: "a"',
    ],
    [{ event: 'E(uint8 indexed a)', arguments: { a: 256 } }, 'its value 256 for "a" is not an integer of type uint8'],
    [{ event: 'E(uint8 indexed a)', arguments: { a: 1.5 } }, 'its value 1.5 for "a"'],
    [{ event: 'E(bool indexed a)', arguments: { a: 'true' } }, 'its value "true" for "a" is not true or false'],
    [{ event: 'E(bytes4 indexed a)', arguments: { a: '0x12' } }, 'is not 0x and 8 hex digits'],
    [
      { event: 'E(uint8[] indexed a)', arguments: { a: 1 } },
      '"a" of type uint8[]. Values of lists and structs cannot be selected',
    ],
    [{ event: 'E(uint8 indexed a)', arguments: { a: [] } }, 'its list of values for "a" is empty'],
    [{ address: [] }, 'its address is an empty list'],
    [{ address: [address, '0x12'] }, 'its address has "0x12", which is not 0x and 40 hex digits'],
    [{ address, factory }, 'it has an address and a factory'],
    [{ factory: { ...factory, argument: 'e' } }, '"e" is no parameter of type address of its factory.event'],
    [{ factory: { ...factory, start: -1 } }, 'its factory.start -1 is not the number of a block'],
  ]
  test.each(wrong)('refuses %j', (filter, message) => {
    const error = expect.objectContaining({ code: 'invalid_event_filter', message: expect.stringContaining(message) })
    expect(() => parseFilters([{}, filter], 0)).toThrow(error)
    expect(() => parseFilters([{}, filter], 0)).toThrow('Filter number 2 of events: ')
  })

  test('refuses no filters, and a factory from the latest block on', () => {
    expect(() => parseFilters([], 0)).toThrow('The filters of events: there are none')
    expect(() => parseFilters([{ factory }], 'latest')).toThrow('Set factory.start')
    expect(parseFilters([{ factory: { ...factory, start: 3 } }], 'latest').factories[0]!.start).toBe(3)
    expect(parseFilters([{ factory }], 'earliest').factories[0]!.start).toBe(0)
  })
})
