/**
 * Generated code passes map keys as texts, because they are names of properties.
 *
 * @throws {RangeError} the field cannot hold it.
 */
export function unsigned32(type: string, value: unknown): number {
  const integer = typeof value === 'string' ? Number(value) : Number.NaN
  if (integer >>> 0 !== integer) throw refusedValue(type, value)
  return integer
}

export function signed32(type: string, value: unknown): number {
  const integer = typeof value === 'string' ? Number(value) : Number.NaN
  if ((integer | 0) !== integer) throw refusedValue(type, value)
  return integer
}

/** @throws {RangeError} the field cannot hold it. */
export function unsigned64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (BigInt.asUintN(64, integer) !== integer) throw refusedValue(type, value)
  return integer
}

export function signed64(type: string, value: string | number | bigint): bigint {
  const integer = typeof value === 'bigint' ? value : BigInt(value)
  if (BigInt.asIntN(64, integer) !== integer) throw refusedValue(type, value)
  return integer
}

/** Names a number that does not fit, and only the type of any other value. */
export function refusedValue(type: string, value: unknown): RangeError {
  const found =
    typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a value of type ${typeof value}`
  return new RangeError(`a ${type} field holds ${found}`)
}
