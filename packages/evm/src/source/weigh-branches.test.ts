import { describe, expect, test } from 'vitest'
import { believedOthers, type WatchedView } from './weigh-branches.ts'

const patienceMs = 60_000

const view = (endpoint: string, number: number, more: Partial<WatchedView> = {}): WatchedView => ({
  ...{ endpoint, branch: 'other', head: { number, hash: '0x' }, hash: '0xa', stillMs: 0 },
  ...more,
})
const still = (endpoint: string, number: number) => view(endpoint, number, { stillMs: patienceMs })

/** Names of the endpoints on another branch that are believed. */
function believed(holders: readonly WatchedView[], others: readonly WatchedView[], undecided = 0): string {
  const all = holders.length + others.length + undecided
  return believedOthers({ holders, others, all }, patienceMs)
    .map(({ endpoint }) => endpoint)
    .join('')
}

describe('of endpoints on another branch', () => {
  test('all are believed where none has the published one', () => {
    expect(believed([], [view('A', 101), view('B', 90, { hash: '0xb' })], 1)).toBe('AB')
  })

  test('none is believed against one that has it, however far ahead', () => {
    expect(believed([view('A', 100)], [view('B', 5000)])).toBe('')
  })

  test('none is believed by being many', () => {
    expect(believed([view('A', 100)], [view('B', 116), view('C', 116)])).toBe('')
  })

  test('a majority far ahead is believed', () => {
    expect(believed([view('A', 100)], [view('B', 117), view('C', 120)])).toBe('BC')
    expect(believed([view('A', 100)], [view('B', 117), view('C', 120), view('D', 101)])).toBe('')
  })

  test('a majority of all is needed, not of those that take a side', () => {
    expect(believed([view('A', 100)], [view('B', 117), view('C', 120)], 1)).toBe('')
  })

  test('a majority has to be of one branch', () => {
    expect(believed([view('A', 100)], [view('B', 120), view('C', 120, { hash: '0xb' })])).toBe('')
    expect(believed([view('A', 100)], [view('B', 120), view('C', 120, { hash: undefined })])).toBe('')
  })

  test('a head that is not known is far from none', () => {
    const unknown = view('A', 0, { stillMs: patienceMs, head: undefined })
    expect(believed([unknown], [view('B', 117), view('C', 117)])).toBe('')
  })
})

describe('against endpoints that have stopped', () => {
  test('as many far ahead of them are believed', () => {
    expect(believed([still('A', 100)], [view('B', 117)])).toBe('B')
    expect(believed([still('A', 100), still('B', 100)], [view('C', 117), view('D', 117)], 3)).toBe('CD')
  })

  test('fewer are not: where the chain pauses, all that are right stand still', () => {
    expect(believed([still('A', 100), still('B', 100)], [view('C', 5000)])).toBe('')
    const others = [view('C', 5000), view('D', 5000, { hash: '0xb' })]
    expect(believed([still('A', 100), still('B', 100)], others)).toBe('')
  })

  test('none is believed that is not far ahead of all of them', () => {
    expect(believed([still('A', 100)], [view('B', 116)])).toBe('')
    expect(believed([still('A', 100), still('B', 110)], [view('C', 117), view('D', 117)])).toBe('')
  })

  test('none is believed before they have stood still for long', () => {
    expect(believed([view('A', 100, { stillMs: patienceMs - 1 })], [view('B', 117)])).toBe('')
  })

  test('and one that goes on, a majority of those that have not stopped is believed, if as many', () => {
    expect(believed([still('A', 100), view('B', 100)], [view('C', 117)])).toBe('')
    expect(believed([still('A', 100), view('B', 100)], [view('C', 117), view('D', 117)])).toBe('CD')
    const three = [still('A', 100), still('B', 100), still('C', 100)]
    expect(believed([...three, view('D', 100)], [view('E', 117), view('F', 117)])).toBe('')
  })
})
