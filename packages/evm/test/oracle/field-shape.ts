export interface FieldShapes<T> {
  /** Published in full. Some nodes write leading zeros. */
  readonly exact?: readonly (keyof T & string)[]
  /** Published as uint64, saturated. */
  readonly quantities: readonly (keyof T & string)[]
  readonly uint32s?: readonly (keyof T & string)[]
  readonly data: readonly (keyof T & string)[]
}

/**
 * Of long values only start and length are checked, because checking every digit takes as long as parsing the answer.
 * Mapping checks the digits.
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

/** 20 bytes. Some nodes use the capitals of a checksum (EIP-55). */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && addressShape.test(value)
}

const addressShape = /^0x[0-9a-fA-F]{40}$/
const hexShape = /^0x[0-9a-fA-F]*$/
const longestUint64 = '0xffffffffffffffff'.length
const uint32Shape = /^0x0*[0-9a-fA-F]{0,8}$/

function isHex(value: unknown): value is string {
  if (typeof value !== 'string') return false
  return value.length > longestUint64 ? value.startsWith('0x') : hexShape.test(value)
}
