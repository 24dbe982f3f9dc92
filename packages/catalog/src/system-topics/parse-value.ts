/** `what` follows "cannot be read:". */
export type InvalidValue = (what: string, options?: ErrorOptions) => Error

/** The value must be a JSON object. */
export function parseValue(value: Uint8Array, invalid: InvalidValue): Record<string, unknown> {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'))
  } catch (cause) {
    throw invalid('it is not JSON', { cause })
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw invalid('it is not a JSON object')
  return json as Record<string, unknown>
}
