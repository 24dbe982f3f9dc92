import { type Hex, significantDigits } from '../quantity/quantity.ts'

/** RLP has numbers big-endian, without leading zeros. */
export function quantityLength(hex: Hex): number {
  if (hex === undefined || hex === null) return 1
  const digits = significantDigits(hex)
  if (digits > 2) return stringLength((digits + 1) >> 1)
  return digits === 2 && hex.charCodeAt(hex.length - 2) >= digitEight ? 2 : 1
}

export function dataLength(hex: Hex): number {
  if (hex === undefined || hex === null) return 1
  const bytes = (hex.length - 2) >> 1
  return bytes === 1 && hex.charCodeAt(2) < digitEight ? 1 : stringLength(bytes)
}

export function listLength(payload: number): number {
  return prefixLength(payload) + payload
}

const digitEight = 56 // bytes below 0x80 are encoded as themselves

function stringLength(bytes: number): number {
  return prefixLength(bytes) + bytes
}

function prefixLength(payload: number): number {
  if (payload < 56) return 1
  let length = 1
  for (let rest = payload; rest > 0; rest = Math.floor(rest / 256)) length++
  return length
}
