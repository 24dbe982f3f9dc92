import { type Hex, significantDigits, toBigEndian, toBytes, toUint64 } from '../../src/quantity/quantity.ts'

const longestUint64 = '0xffffffffffffffff'.length

export function toOptionalUint64(hex: Hex): bigint | undefined {
  return hex === undefined || hex === null ? undefined : toUint64(hex)
}

/** Big-endian without leading zeros, if it is larger than a uint64. */
export function toExact(hex: Hex): Uint8Array | undefined {
  if (hex === undefined || hex === null || hex.length <= longestUint64) return undefined
  return significantDigits(hex) > longestUint64 - 2 ? toBigEndian(hex) : undefined
}

export function toOptionalBytes(hex: Hex): Uint8Array | undefined {
  return hex === undefined || hex === null ? undefined : toBytes(hex)
}
