import { expect, test } from 'vitest'
import { matchesTopic } from './topic-pattern.ts'

test.each([
  ['*', 'headrace.evm.1_0_0.ethereum_Block'],
  ['headrace.*', 'headrace.evm.1_0_0.ethereum_Block'],
  ['*_Block', 'headrace.evm.1_0_0.ethereum_Block'],
  ['headrace.*.ethereum_*', 'headrace.evm.1_0_0.ethereum_Block'],
  ['a*b*c', 'abbbcbc'],
  ['a.b', 'a.b'],
  ['a**', 'a'],
])('"%s" covers "%s"', (pattern, topic) => {
  expect(matchesTopic(pattern, topic)).toBe(true)
})

test.each([
  ['headrace.*', 'headrace_evm'],
  ['*_Block', 'headrace.evm.1_0_0.ethereum_Blocks'],
  ['a.b', 'aXb'],
  ['a?c', 'abc'],
  ['', 'a'],
  ['a*b*c', 'abcb'],
])('"%s" does not cover "%s"', (pattern, topic) => {
  expect(matchesTopic(pattern, topic)).toBe(false)
})

test('a pattern with many stars needs at most as many steps as the product of the lengths of pattern and name', () => {
  expect(matchesTopic(`${'a*'.repeat(100)}b`, 'a'.repeat(249))).toBe(false)
})
