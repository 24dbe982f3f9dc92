import { keccak_256 } from '@noble/hashes/sha3.js'

/** The bits that an address or a topic sets in the bloom of its block (yellow paper, 4.3.1). */
export type BloomBits = readonly [first: number, second: number, third: number]

/** @param hex An address or a topic. */
export function bloomBits(hex: string): BloomBits {
  const digest = keccak_256(Buffer.from(hex.slice(2), 'hex'))
  const bit = (at: number) => ((digest[at]! << 8) | digest[at + 1]!) & (bits - 1)
  return [bit(0), bit(2), bit(4)]
}

const bits = 2048

/** `false` proves that no log of the block has the value. */
export function mayContain(bloom: Uint8Array, [first, second, third]: BloomBits): boolean {
  return hasBit(bloom, first) && hasBit(bloom, second) && hasBit(bloom, third)
}

function hasBit(bloom: Uint8Array, bit: number): boolean {
  return (bloom[bloom.length - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0
}

/** The probability that a bloom seems to contain a value that it does not. */
export function falsePositives(bloom: Uint8Array): number {
  let set = 0
  for (const byte of bloom) for (let left = byte; left > 0; left &= left - 1) set++
  return (set / bits) ** 3
}
