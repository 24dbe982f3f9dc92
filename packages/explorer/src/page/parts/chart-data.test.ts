import { describe, expect, it } from 'vitest'
import { lastWidth, placeAt, stacked } from './chart-data.ts'

describe('data of a chart', () => {
  it('stacks bars on the sums below them, and keeps what is absent', () => {
    expect(
      stacked([
        [1, 2, null],
        [10, null, 30],
      ]),
    ).toEqual([
      [1, 2, null],
      [11, null, 30],
    ])
  })

  it('finds the bar that spans a time', () => {
    const seconds = [100, 200, 300]
    expect([0, 100, 199, 200, 299, 300, 999].map((time) => placeAt(seconds, time))).toEqual([0, 0, 0, 1, 1, 2, 2])
    expect(lastWidth(seconds)).toBe(100)
  })
})
