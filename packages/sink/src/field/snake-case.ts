import { createHash } from 'node:crypto'

/** In bytes. PostgreSQL cuts longer identifiers off. */
const longestName = 63
const hashLength = 8

/** `AmountExact` → `amount_exact`. A name that is too long ends with a hash of the whole. */
export function snakeCase(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2').toLowerCase()
  if (Buffer.byteLength(words) <= longestName) return words
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  return `${words.slice(0, longestName - hashLength - 1)}_${hash}`
}
