/**
 * The number of a 32-bit field that came as something else. Generated code hands over the keys of a map as texts: they are
 * the names of an object's properties.
 *
 * @throws {RangeError} the field cannot hold it.
 */
export function unsigned32(type: string, value: unknown): number {
  const integer = typeof value === 'string' ? Number(value) : Number.NaN
  if (integer >>> 0 !== integer) throw refusedValue(type, value)
  return integer
}

/** As `unsigned32`, for a field with a sign. */
export function signed32(type: string, value: unknown): number {
  const integer = typeof value === 'string' ? Number(value) : Number.NaN
  if ((integer | 0) !== integer) throw refusedValue(type, value)
  return integer
}

/**
 * The integer of a 64-bit field.
 *
 * @throws {RangeError} the field cannot hold it.
 */
export function unsigned64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (BigInt.asUintN(64, integer) !== integer) throw refusedValue(type, value)
  return integer
}

/** As `unsigned64`, for a field with a sign. */
export function signed64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (BigInt.asIntN(64, integer) !== integer) throw refusedValue(type, value)
  return integer
}

/** Names a number that does not fit, and of any other value its type alone. */
export function refusedValue(type: string, value: unknown): RangeError {
  const found =
    typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a value of type ${typeof value}`
  return new RangeError(`a ${type} field holds ${found}`)
}
