import { expect, test } from 'vitest'
import { suggestTopics } from './open-topic.ts'

const known = ['acme.evm.1_0_0.main_Transaction', 'acme.evm.1_0_0.main_Block', 'acme.rates.1_0_0.Rate']
const all = 'Its topics are: acme.evm.1_0_0.main_Block, acme.evm.1_0_0.main_Transaction, acme.rates.1_0_0.Rate.'

test.each([
  ['a misspelled name', 'acme.evm.1_0_0.main_Blok', ` Did you mean "acme.evm.1_0_0.main_Block"? ${all}`],
  ['the end of a name', 'block', ` Did you mean "acme.evm.1_0_0.main_Block"? ${all}`],
  ['a part of several names', 'evm', ` Topics with "evm" in their name: ${known[1]}, ${known[0]}.`],
  ['a name that is similar to none', 'orders', ` ${all}`],
  ['an empty name', '', ` ${all}`],
])('the message about %s suggests a topic', (_, name, suggestion) => {
  expect(suggestTopics(name, known)).toBe(suggestion)
})

test('a message lists only the first of many topics', () => {
  const many = Array.from({ length: 25 }, (_, index) => `t${index + 10}`)
  expect(suggestTopics('orders', many)).toMatch(/^ Its topics are: t10, t11, .*, t29 and 5 more\.$/)
})

test('a message about a queue without topics says how to publish one', () => {
  expect(suggestTopics('orders', [])).toBe(' It has no topics yet: run a connector first, or check --queue.')
})
