/** Names of the fields of an object by what they hold where they are there. Chains leave fields out. */
export interface FieldShapes<T> {
  /** Quantities of any size, of which a message holds every digit. Some nodes write leading zeros. */
  readonly exact?: readonly (keyof T & string)[]
  /** Quantities of which a message tells no more than that they are larger than a uint64. */
  readonly quantities: readonly (keyof T & string)[]
  /** Quantities below 2^32. */
  readonly uint32s?: readonly (keyof T & string)[]
  /** Hex data, two digits a byte. */
  readonly data: readonly (keyof T & string)[]
}

/**
 * The name of the first field that cannot be mapped, since it does not hold what it is to hold. Of exact quantities and of
 * data that are longer than a uint64 only the beginning and the length are looked at: reading every digit takes as long as
 * parsing the answer, and what is cut or is of another kind shows without it. They are read when they are mapped.
 */
export function findMalformed<T extends object>(object: T, shapes: FieldShapes<T>): string | undefined {
  const { exact = [], quantities, uint32s = [], data } = shapes
  for (const name of exact) {
    const value: unknown = object[name]
    if (value !== undefined && value !== null && !isHex(value)) return name
  }
  for (const name of quantities) {
    const value: unknown = object[name]
    if (value !== undefined && value !== null && !(typeof value === 'string' && hexShape.test(value))) return name
  }
  for (const name of uint32s) {
    const value: unknown = object[name]
    if (value !== undefined && value !== null && !(typeof value === 'string' && uint32Shape.test(value))) return name
  }
  for (const name of data) {
    const value: unknown = object[name]
    if (value !== undefined && value !== null && !isData(value)) return name
  }
  return undefined
}

export function isData(value: unknown): value is string {
  return isHex(value) && value.length % 2 === 0
}

export function isDataList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isData)
}

/** 32 bytes in lower case, as all nodes write them: hashes are compared as text. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && hashShape.test(value)
}

/** 20 bytes. Some nodes write them with the capitals of a checksum (EIP-55). */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && addressShape.test(value)
}

const hashShape = /^0x[0-9a-f]{64}$/
const addressShape = /^0x[0-9a-fA-F]{40}$/
const hexShape = /^0x[0-9a-fA-F]*$/
const longestUint64 = '0xffffffffffffffff'.length
const uint32Shape = /^0x0*[0-9a-fA-F]{0,8}$/

function isHex(value: unknown): value is string {
  if (typeof value !== 'string') return false
  return value.length > longestUint64 ? value.startsWith('0x') : hexShape.test(value)
}
