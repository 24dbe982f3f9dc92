import { expect, test } from 'vitest'
import { codingFor } from './content-coding.ts'

const long = 10_000

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', undefined],
  ['identity', undefined],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['zstd;q=0, br;q=0.001', 'br'],
  ['br ; q=0.3 , gzip ; q=0.2', 'br'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['identity;q=0.5, zstd', 'zstd'],
  ['*', 'gzip'],
  ['*;q=0.5', 'gzip'],
  ['gzip;q=0, *', undefined],
  ['br;q=0.4, *;q=0.8', 'gzip'],
  ['identity, *;q=0.5', undefined],
  ['*;q=0', undefined],
  ['gzip;q=0', undefined],
  ['identity;q=0', undefined],
  [';q=1,,', undefined],
  ['gzip;q=nonsense', 'gzip'],
])('Accept-Encoding "%s" gives %s', (header, coding) => {
  expect(codingFor(header, long)).toBe(coding)
})

test('a short body is compressed only if it must not be sent as it is', () => {
  expect(codingFor('gzip', 100)).toBeUndefined()
  expect(codingFor('gzip, identity;q=0', 100)).toBe('gzip')
  expect(codingFor('br, *;q=0', 100)).toBe('br')
})
