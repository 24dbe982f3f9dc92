import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'

type Item = Uint8Array | Item[]

interface Entry {
  /** Hex digits of the key. */
  readonly path: readonly number[]
  readonly value: Uint8Array
}

/**
 * Root of the Merkle Patricia trie of a list, as hex: each value is under the RLP of its index (yellow paper, appendix
 * D).
 */
export function trieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index): Entry => ({ path: digitsOf(RLP.encode(index)), value }))
  return keccakHex(RLP.encode(entries.length === 0 ? new Uint8Array() : nodeOf(entries, 0)))
}

export function keccakHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`
}

/** No path is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number): Item[] {
  const [first] = entries
  if (entries.length === 1) return [compact(first!.path.slice(depth), true), first!.value]
  const shared = sharedDepth(entries, depth)
  if (shared > depth) return [compact(first!.path.slice(depth, shared), false), linkTo(nodeOf(entries, shared))]
  const byDigit = Map.groupBy(entries, ({ path }) => path[depth]!)
  const children = Array.from({ length: 16 }, (_, digit): Item => {
    const below = byDigit.get(digit)
    return below ? linkTo(nodeOf(below, depth + 1)) : new Uint8Array()
  })
  return [...children, new Uint8Array()]
}

function sharedDepth(entries: readonly Entry[], from: number): number {
  const { path } = entries[0]!
  let depth = from
  while (entries.every((entry) => entry.path[depth] === path[depth])) depth++
  return depth
}

/** A node shorter than its hash is embedded in its parent. */
function linkTo(node: Item[]): Item {
  const encoded = RLP.encode(node)
  return encoded.length < 32 ? node : keccak_256(encoded)
}

/** Hex-prefix encoding (appendix C). */
function compact(digits: readonly number[], isEnd: boolean): Uint8Array {
  const flag = isEnd ? 2 : 0
  const all = digits.length % 2 === 1 ? [flag + 1, ...digits] : [flag, 0, ...digits]
  return Uint8Array.from({ length: all.length / 2 }, (_, index) => all[index * 2]! * 16 + all[index * 2 + 1]!)
}

function digitsOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15])
}
