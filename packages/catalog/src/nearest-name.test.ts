import { expect, test } from 'vitest'
import { didYouMean } from './nearest-name.ts'

test.each([
  ['titel', 'title'],
  ['RPC', 'rpc'],
  ['ned', 'end'],
  ['e', undefined],
  ['xyz', undefined],
])('%s means %s', (name, meant) => {
  const known = ['title', 'rpc', 'end', 'n']
  expect(didYouMean(name, known)).toBe(meant === undefined ? '' : ` Did you mean "${meant}"?`)
})
