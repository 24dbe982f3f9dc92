import { expect, test } from 'vitest'
import { didYouMean } from './nearest-name.ts'

test.each([
  ['titel', 'title'],
  ['RPC', 'rpc'],
  ['ned', 'end'],
  ['e', undefined],
  ['xyz', undefined],
])('didYouMean("%s") proposes %s', (name, nearest) => {
  const names = ['title', 'rpc', 'end', 'n']
  expect(didYouMean(name, names)).toBe(nearest === undefined ? '' : ` Did you mean "${nearest}"?`)
})
