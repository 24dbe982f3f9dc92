import { describe, expect, test } from 'vitest'
import type { EndpointView } from './endpoint-view.ts'
import { acceptedOthers } from './weigh-branches.ts'

const patienceMs = 60_000

const view = (endpoint: string, number: number, more: Partial<EndpointView> = {}): EndpointView => ({
  ...{ endpoint, branch: 'other', head: { number, hash: '0x' }, hash: '0xa', unchangedMs: 0 },
  ...more,
})
const still = (endpoint: string, number: number) => view(endpoint, number, { unchangedMs: patienceMs })

/** Names of the endpoints on another branch that are accepted. */
function accepted(holders: readonly EndpointView[], others: readonly EndpointView[], undecided = 0): string {
  const all = holders.length + others.length + undecided
  return acceptedOthers(holders, others, all)
    .map(({ endpoint }) => endpoint)
    .join('')
}

describe('endpoints on another branch', () => {
  test('are all accepted if no endpoint has the published branch', () => {
    expect(accepted([], [view('A', 101), view('B', 90, { hash: '0xb' })], 1)).toBe('AB')
  })

  test('are not accepted against one holder of the published branch, however far ahead', () => {
    expect(accepted([view('A', 100)], [view('B', 5000)])).toBe('')
  })

  test('are not accepted for their number alone', () => {
    expect(accepted([view('A', 100)], [view('B', 116), view('C', 116)])).toBe('')
  })

  test('are accepted if they are a majority and far ahead', () => {
    expect(accepted([view('A', 100)], [view('B', 117), view('C', 120)])).toBe('BC')
    expect(accepted([view('A', 100)], [view('B', 117), view('C', 120), view('D', 101)])).toBe('')
  })

  test('need a majority of all endpoints, including undecided ones', () => {
    expect(accepted([view('A', 100)], [view('B', 117), view('C', 120)], 1)).toBe('')
  })

  test('need a majority on one branch', () => {
    expect(accepted([view('A', 100)], [view('B', 120), view('C', 120, { hash: '0xb' })])).toBe('')
    expect(accepted([view('A', 100)], [view('B', 120), view('C', 120, { hash: undefined })])).toBe('')
  })

  test('are not accepted if a head is unknown', () => {
    const unknown = view('A', 0, { unchangedMs: patienceMs, head: undefined })
    expect(accepted([unknown], [view('B', 117), view('C', 117)])).toBe('')
  })
})

describe('against stopped endpoints', () => {
  test('the same number of endpoints far ahead is accepted', () => {
    expect(accepted([still('A', 100)], [view('B', 117)])).toBe('B')
    expect(accepted([still('A', 100), still('B', 100)], [view('C', 117), view('D', 117)], 3)).toBe('CD')
  })

  test('a smaller number is not accepted, because all correct endpoints have the same head while the chain pauses', () => {
    expect(accepted([still('A', 100), still('B', 100)], [view('C', 5000)])).toBe('')
    const others = [view('C', 5000), view('D', 5000, { hash: '0xb' })]
    expect(accepted([still('A', 100), still('B', 100)], others)).toBe('')
  })

  test('an endpoint that is not far ahead of all of them is not accepted', () => {
    expect(accepted([still('A', 100)], [view('B', 116)])).toBe('')
    expect(accepted([still('A', 100), still('B', 110)], [view('C', 117), view('D', 117)])).toBe('')
  })

  test('an endpoint is not accepted before their heads are unchanged for a minute', () => {
    expect(accepted([view('A', 100, { unchangedMs: patienceMs - 1 })], [view('B', 117)])).toBe('')
  })

  test('and one that advances, a majority of those that have not stopped is accepted if it is at least as large as the stopped ones', () => {
    expect(accepted([still('A', 100), view('B', 100)], [view('C', 117)])).toBe('')
    expect(accepted([still('A', 100), view('B', 100)], [view('C', 117), view('D', 117)])).toBe('CD')
    const three = [still('A', 100), still('B', 100), still('C', 100)]
    expect(accepted([...three, view('D', 100)], [view('E', 117), view('F', 117)])).toBe('')
  })
})
