import { expect, test } from 'vitest'
import { checkAddress } from './contract-address.ts'

const checksummed = '0xdAC17F958D2ee523a2206206994597C13D831ec7'

test.each([checksummed, checksummed.toLowerCase(), `0x${checksummed.slice(2).toUpperCase()}`])(
  'takes %s',
  (address) => {
    expect(checkAddress(address)).toBe(checksummed)
  },
)

test.each([
  ['', 'it is no hex'],
  ['dac17f958d2ee523a2206206994597c13d831ec7', 'it is no hex'],
  ['vitalik.eth', 'it is no hex'],
  ['0xdac17f958d2ee523a2206206994597c13d831ec', 'it has 39 hex digits'],
  ['0xdac17f958d2ee523a2206206994597c13d831ec70', 'it has 41 hex digits'],
  ['0xdac17f958d2ee523a2206206994597c13d831ecg', 'it is no hex'],
  [checksummed.replace('dAC', 'DAC'), 'its checksum is wrong'],
])('refuses "%s"', (address, words) => {
  expect(() => checkAddress(address)).toThrow(
    expect.objectContaining({ code: 'invalid_address', message: expect.stringContaining(words) }),
  )
})
