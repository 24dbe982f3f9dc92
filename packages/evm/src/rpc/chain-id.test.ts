import { expect, test } from 'vitest'
import { InvalidAnswerError } from '../errors.ts'
import { readChainId } from './rpc.ts'

test('a chain id is a quantity', () => {
  expect(readChainId('0x1')).toBe(1)
  expect(readChainId('0x2105')).toBe(8453)
})

test.each([null, 1, 'mainnet'])('an answer of %j is not a chain id', (answer) => {
  expect(() => readChainId(answer)).toThrow(InvalidAnswerError)
})
