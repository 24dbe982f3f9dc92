import { UserError } from '@headrace/queue'
import { getAddress, isAddress } from 'ethers'

/**
 * Checks an address, and its checksum (EIP-55) where it has one.
 *
 * @throws {UserError} `invalid_address`
 */
export function checkAddress(address: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) {
    if (isAddress(address)) return getAddress(address)
    throw invalid(address, `its checksum is wrong, so a character may be. In lower case it is taken as it is`)
  }
  throw invalid(address, /^0x[0-9a-fA-F]*$/.test(address) ? `it has ${address.length - 2} hex digits` : 'it is no hex')
}

function invalid(address: string, problem: string): UserError {
  return new UserError(
    'invalid_address',
    `"${address}" is no address of a contract: ${problem}. --address takes 0x and 40 hex digits.`,
  )
}
