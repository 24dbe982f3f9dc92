import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { futureOption, portOption, positionOption } from './parse-option.ts'

test.each(['', '-1', '1.5', '1e3', '0x10', 'x', '65536'])('%j is not a port', (text) => {
  expect(() => portOption(text)).toThrow(InvalidArgumentError)
})

test('the bounds of a number are allowed values', () => {
  expect(portOption('0')).toBe(0)
  expect(portOption('65535')).toBe(65_535)
})

test('an invalid position is refused with the allowed forms', () => {
  expect(() => positionOption('yesterday')).toThrow(InvalidArgumentError)
  expect(() => positionOption('yesterday')).toThrow(/earliest/)
  expect(positionOption('last:3')).toEqual({ kind: 'last', count: 3 })
})

test('an expiry must be in the future', () => {
  const inAnHour = Date.now() + 3_600_000
  expect(Math.abs(futureOption('1h').getTime() - inAnHour)).toBeLessThan(60_000)
  expect(futureOption('2199-01-01T00:00:00Z')).toEqual(new Date('2199-01-01T00:00:00Z'))
  for (const text of ['2001-01-01T00:00:00Z', '2199-01-01', 'soon', '0d'])
    expect(() => futureOption(text)).toThrow(InvalidArgumentError)
})
