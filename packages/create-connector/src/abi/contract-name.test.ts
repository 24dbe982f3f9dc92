import { expect, test } from 'vitest'
import { chooseContractName } from './contract-name.ts'

test.each([
  [undefined, 'ERC20', 'ERC20'],
  [undefined, 'my token (v2).final', 'my-token-v2-final'],
  [undefined, '1inch_', 'inch'],
  [undefined, '€', 'contract'],
  [undefined, undefined, 'contract'],
  ['usd-coin_2', 'ERC20', 'usd-coin_2'],
])('asked for %s, and by the ABI %s: %s', (asked, ofAbi, name) => {
  expect(chooseContractName(asked, ofAbi)).toBe(name)
})

test.each(['', '2x', 'a.b', 'a b', 'schema', 'Schema', '-a'])('refuses "%s"', (name) => {
  expect(() => chooseContractName(name, undefined)).toThrow(expect.objectContaining({ code: 'invalid_contract' }))
})
