import { expect, test } from 'vitest'
import type { LogFilter } from './log-filter.ts'
import { toQueries } from './log-query.ts'

const any: LogFilter = { addresses: undefined, factory: undefined, topics: [], topicCount: undefined }
const filter = (addresses: readonly string[] | undefined, ...topics: (readonly string[] | undefined)[]): LogFilter => ({
  ...any,
  addresses: addresses && new Set(addresses),
  topics: topics.map((values) => values && new Set(values)),
})
const contracts = (count: number) => Array.from({ length: count }, (_, index) => `0x${index}`)
const ofFactory = (...topics: (readonly string[] | undefined)[]): LogFilter => ({
  ...filter(undefined, ...topics),
  factory: 0,
})

test('filters that name the same things share a request for all of them', () => {
  expect(toQueries([filter(['a', 'b'], ['s']), filter(['b', 'c'], ['t'])], undefined)).toEqual([
    { address: ['a', 'b', 'c'], topics: [['s', 't']] },
  ])
  expect(
    toQueries([filter(undefined, ['s'], undefined, ['x']), filter(undefined, ['s'], undefined, ['y'])], undefined),
  ).toEqual([{ topics: [['s'], null, ['x', 'y']] }])
})

test('filters that name other things do not widen the request of others', () => {
  const filters = [filter(undefined, ['s'], ['x']), filter(undefined, ['s'], undefined, ['x']), filter(['a'])]
  expect(toQueries(filters, undefined)).toEqual([
    { topics: [['s'], ['x']] },
    { topics: [['s'], null, ['x']] },
    { address: ['a'] },
  ])
})

test('a filter for everything is the only request', () => {
  expect(toQueries([filter(['a'], ['s']), any], undefined)).toEqual([{}])
  expect(toQueries([filter(['a'], ['s']), ofFactory()], undefined)).toEqual([{}])
})

test('contracts of a factory are named up to the limit of nodes, and selected by their events above it', () => {
  const withCreated = (count: number, ...filters: readonly LogFilter[]) => toQueries(filters, () => contracts(count))
  expect(withCreated(0, ofFactory(['s']))).toEqual([])
  expect(withCreated(0, ofFactory(['s']), filter(['a'], ['t']))).toEqual([{ address: ['a'], topics: [['s', 't']] }])
  expect(withCreated(1000, ofFactory(['s']))).toEqual([{ address: contracts(1000), topics: [['s']] }])
  expect(withCreated(1001, ofFactory(['s']))).toEqual([{ topics: [['s']] }])
  expect(withCreated(2500, ofFactory()).map(({ address }) => address!.length)).toEqual([1000, 1000, 500])
  expect(withCreated(20_000, ofFactory())).toEqual([{}])
  expect(toQueries([ofFactory(['s'])], undefined)).toEqual([{ topics: [['s']] }])
})
