import { empty } from './source.ts'
import type { Operand } from './term.ts'
import type { Value } from './value.ts'

/** Equal values have equal hashes. */
export type Hash = number | bigint

export function hashOf(value: Value): Hash {
  if (value instanceof Uint8Array) return hashSpan(value, 0, value.length)
  if (typeof value === 'object') return value.seconds
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Of the current value of an operand; `undefined` if it is null. */
export function createHash({ place, read, type }: Operand): () => Hash | undefined {
  if (!place || type.nullable)
    return () => {
      const value = read()
      return value === null ? undefined : hashOf(value)
    }
  const { source, slot } = place
  return () => {
    source.load()
    const { bytes, places } = source
    const found = places[slot]!
    return found === 0 ? hashSpan(empty, 0, 0) : hashSpan(bytes, found - 1, places[slot + 1]!)
  }
}

/** FNV-1a of the length and of both ends: long values differ there. */
function hashSpan(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start
  const headEnd = Math.min(end, start + hashedBytes)
  for (let at = start; at < headEnd; at++) hash = Math.imul(hash ^ bytes[at]!, prime)
  for (let at = Math.max(headEnd, end - hashedBytes); at < end; at++) hash = Math.imul(hash ^ bytes[at]!, prime)
  return hash
}

const hashedBytes = 16
const prime = 0x0100_0193
