import { expect, test } from 'vitest'
import { bytes, duration, grouped, short } from './number.ts'

test.each([
  [0, '0'],
  [0.25, '0.25'],
  [18.44, '18.4'],
  [999.4, '999'],
  [999.6, '1 k'],
  [1000, '1 k'],
  [1240, '1.24 k'],
  [999_960, '1 M'],
  [-1_500_000, '-1.5 M'],
])('a number is written with three digits: %d', (value, text) => {
  expect(short(value)).toBe(text)
})

test('digits are grouped, of 64-bit integers exactly', () => {
  expect(grouped('18446744073709551615')).toBe('18,446,744,073,709,551,615')
  expect(grouped('-9223372036854775808')).toBe('-9,223,372,036,854,775,808')
  expect(grouped(999)).toBe('999')
  expect(grouped('1234.5678')).toBe('1,234.5678')
  expect(grouped('0x1234567')).toBe('0x1234567')
})

test('sizes and durations have a unit', () => {
  expect([bytes(999), bytes(1000), bytes(1_500_000)]).toEqual(['999 B', '1 kB', '1.5 MB'])
  expect([duration(604_800_000), duration(5_400_000), duration(90_000)]).toEqual(['7 d', '90 min', '90 s'])
})
