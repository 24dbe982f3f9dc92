import { describe, expect, it } from 'vitest'
import type { ConnectorState } from '../../service/types.ts'
import { healthOf } from './connector-health.ts'

const now = Date.parse('2026-11-24T17:00:00Z')
const state: ConnectorState = {
  connector: { owner: 'headrace', package: 'evm', version: '1.0.0' },
  instance: 'main',
  topics: [],
  unit: '20731',
  position: null,
  final: null,
  lastCommit: '2026-11-24T16:59:58Z',
  source: { position: 10, head: 10, lag: 0 },
  endpoints: [],
  rate: { perSecond: 0, seconds: 10, units: [] },
  reorganisations: [],
}
const behind = { position: 1, head: 10, lag: 9 }
const old = '2026-11-24T16:58:59Z'

describe('the health of a connector', () => {
  it('is good at the head of its source, however old the last commit is', () => {
    expect(healthOf(state, now).level).toBe('good')
    expect(healthOf({ ...state, lastCommit: old }, now).level).toBe('good')
  })

  it('is a warning while it is behind, and bad once it has committed nothing for a minute', () => {
    expect(healthOf({ ...state, source: behind }, now).level).toBe('warn')
    expect(healthOf({ ...state, source: behind, lastCommit: old }, now).level).toBe('bad')
  })

  it('is bad if every endpoint is down, and not if one is', () => {
    const endpoint = (up: boolean) => ({ endpoint: 'https://a:1', up })
    expect(healthOf({ ...state, endpoints: [endpoint(false), endpoint(true)] }, now).level).toBe('good')
    expect(healthOf({ ...state, endpoints: [endpoint(false)] }, now).level).toBe('bad')
  })

  it('is not known without a unit or a report of the source', () => {
    expect(healthOf({ ...state, unit: null }, now).level).toBe('unknown')
    expect(healthOf({ ...state, source: null }, now).level).toBe('unknown')
  })
})
