import { describe, expect, it } from 'vitest'
import type { Usage } from '../../service/types.ts'
import { periodsOf } from './usage-hours.ts'

const counts = (requests: number) => ({ requests, refused: 1, records: 2, bytes: 3, connectionSeconds: 4 })

const usage: Usage = {
  key: { id: 'k', name: 'n' },
  from: '2026-11-22T17:00:00Z',
  to: '2026-11-24T17:12:09.173Z',
  total: counts(0),
  hours: [
    { hour: '2026-11-22T17:00:00Z', ...counts(5) },
    { hour: '2026-11-22T18:00:00Z', ...counts(7) },
    { hour: '2026-11-24T17:00:00Z', ...counts(9) },
  ],
}

describe('periods of usage', () => {
  it('have every hour of the range, with zeros where nothing was used', () => {
    const periods = periodsOf(usage, 'hour')
    expect(periods).toHaveLength(49)
    expect(periods.map(({ requests }) => requests).filter((requests) => requests > 0)).toEqual([5, 7, 9])
    expect(periods.at(-1)!.second).toBe(Date.parse('2026-11-24T17:00:00Z') / 1000)
  })

  it('add the hours of a day', () => {
    const periods = periodsOf(usage, 'day')
    expect(periods.reduce((sum, { requests }) => sum + requests, 0)).toBe(21)
    expect(periods[0]).toMatchObject({ requests: 12, refused: 2, records: 4, bytes: 6, connectionSeconds: 8 })
  })
})
