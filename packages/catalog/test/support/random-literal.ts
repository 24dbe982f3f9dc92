import { type DescField, ScalarType } from '@bufbuild/protobuf'
import type { Random } from '../../../testbed/random.ts'

/** A filter, and an expression of CEL with the same meaning. */
export interface FilterPair {
  readonly filter: string
  readonly cel: string
}

/** A text is the same in both. */
export function concat(...parts: readonly (string | FilterPair)[]): FilterPair {
  const side = (name: keyof FilterPair) => parts.map((part) => (typeof part === 'string' ? part : part[name])).join('')
  return { filter: side('filter'), cel: side('cel') }
}

export interface Time {
  readonly seconds: bigint
  readonly nanos: number
}

export type LiteralType = Pick<DescField, 'scalar' | 'enum'>

/** Of the value or, less often, of another one. */
export function literalOf(random: Random, field: LiteralType, sample: unknown, bytes: 'hex' | 'base64'): FilterPair {
  if (field.enum) return concat(`${sample ?? 0}`)
  const value = sample === undefined || random.integer(4) === 0 ? random.pick(others(field.scalar!)) : sample
  return literal(random, value, bytes)
}

function others(scalar: ScalarType): readonly unknown[] {
  switch (scalar) {
    case ScalarType.BOOL:
      return [true, false]
    case ScalarType.STRING:
      return ['', 'a', '"\\\n\u0000', 'ÿ€😀', "it's"]
    case ScalarType.BYTES:
      return [new Uint8Array(), Uint8Array.of(0), Uint8Array.of(255, 0, 171)]
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return [0, 1.5, -2, 0.1, 1e300]
    default:
      return [0n, 1n, -1n, 2n ** 31n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 64n, 10n ** 30n]
  }
}

export function literal(random: Random, value: unknown, bytes: 'hex' | 'base64'): FilterPair {
  if (value instanceof Uint8Array) return bytesLiteral(random, value, bytes)
  if (typeof value === 'string') return textLiteral(random, value)
  if (typeof value === 'bigint') return integerLiteral(random, value)
  if (typeof value !== 'number') return concat(`${value}`)
  if (Number.isSafeInteger(value) && random.integer(2) === 0) return integerLiteral(random, BigInt(value))
  // CEL has no literals for these.
  const finite = Number.isFinite(value) ? value : 1.5
  const text = Object.is(finite, -0) ? '-0' : `${finite}`
  return concat(/[.e]/.test(text) ? text : `${text}.0`)
}

function integerLiteral(random: Random, value: bigint): FilterPair {
  if (value < 0n) return concat(`${value}`)
  return concat(random.pick([`${value}`, `${value}u`, `0x${value.toString(16)}`]))
}

export function textLiteral(random: Random, value: string): FilterPair {
  const quoted = JSON.stringify(value)
  if (random.integer(3) > 0) return concat(quoted)
  if (/^[^"'\\\r\n]*$/.test(value)) return concat(random.pick([`'${value}'`, `r"${value}"`, `R'${value}'`]))
  return concat(`'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`)
}

/** As they are rendered, or as bytes of CEL. */
function bytesLiteral(random: Random, value: Uint8Array, form: 'hex' | 'base64'): FilterPair {
  const escaped = Array.from(value, (byte) => random.pick([hexEscape, octalEscape])(byte)).join('')
  const cel = `b"${escaped}"`
  if (random.integer(5) === 0) return concat(cel)
  const text = Buffer.from(value).toString(form)
  if (form === 'hex') return { filter: `"0x${random.integer(2) === 0 ? text : text.toUpperCase()}"`, cel }
  return { filter: `"${random.integer(2) === 0 ? text : text.replaceAll('=', '')}"`, cel }
}

const hexEscape = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`
const octalEscape = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`

/** At or near a time. */
export function timeLiteral(random: Random, time: Time | undefined): FilterPair {
  const seconds = Number(time?.seconds ?? 0n) + random.pick([0, 0, 0, -1, 1])
  const nanos = random.pick([time?.nanos ?? 0, time?.nanos ?? 0, 0, 5_000_000, 999_999_999])
  const inRange = Math.min(Math.max(seconds, -62_135_596_800), 253_402_300_799)
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0')}`
  const zone = random.pick(['Z', 'Z', '+00:00', '-00:00'])
  const text = `${new Date(inRange * 1000).toISOString().slice(0, 19)}${fraction}${zone}`
  return { filter: random.integer(3) === 0 ? `"${text}"` : `timestamp("${text}")`, cel: `timestamp("${text}")` }
}
