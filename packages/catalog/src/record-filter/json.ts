import { MalformedMessageError } from '../wire/wire-reader.ts'
import { shorten } from './value.ts'

/** A JSON value. An integer that a number cannot hold exactly is a bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [name: string]: Json
}

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads a JSON text. Of members with the same name, the last one counts.
 *
 * @throws {MalformedMessageError} it is not JSON.
 */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text, longNumber.test(text) ? exactInteger : undefined) as Json
  } catch {
    throw new MalformedMessageError('the value is not JSON')
  }
}

/** A reviver takes several times as long. */
const longNumber = /\d{16}/

function exactInteger(_: string, value: Json, context?: { readonly source?: string }): Json {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value
  return /^-?\d+$/.test(source) ? shorten(BigInt(source)) : value
}
