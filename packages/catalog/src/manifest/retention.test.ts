import { expect, test } from 'vitest'
import { parseRetention } from './retention.ts'

test.each([
  ['forever', {}],
  ['90s', { maxAgeMs: 90_000 }],
  ['5m', { maxAgeMs: 300_000 }],
  ['12h', { maxAgeMs: 43_200_000 }],
  ['30d', { maxAgeMs: 2_592_000_000 }],
  ['100B', { maxBytes: 100 }],
  ['1KiB', { maxBytes: 1024 }],
  ['3MiB', { maxBytes: 3_145_728 }],
  ['10GiB', { maxBytes: 10_737_418_240 }],
  ['2TiB', { maxBytes: 2_199_023_255_552 }],
])('the retention %s is translated to limits of time and size', (retention, policy) => {
  expect(parseRetention(retention)).toEqual(policy)
})
