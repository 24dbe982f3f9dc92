import { parseValue } from '../system-topics/system-topics.ts'

/**
 * A schema that topics have had, so that the GUID in their older records is still found. In `_headrace.registry` it has
 * a key of its own, because that of a topic only keeps the newest registration. It never changes.
 */
export interface EarlierSchema {
  readonly topic: string
  readonly message: string
  /** As those of a registration. */
  readonly descriptors: Uint8Array
}

/** No topic has this name. */
const keyPrefix = 'schema/'

export function earlierSchemaKey(guid: string): Uint8Array {
  return Buffer.from(`${keyPrefix}${guid}`)
}

/**
 * Whether a key of `_headrace.registry` is the name of a topic, which has no slash. A newer version may write other kinds
 * of keys, which are ignored.
 */
export function isTopicKey(key: Uint8Array | null): boolean {
  return key?.includes(slash) === false
}

const slash = '/'.charCodeAt(0)

/** `undefined`: a key of `_headrace.registry` is of something else. */
export function earlierSchemaGuid(key: Uint8Array | null): string | undefined {
  const text = key === null ? '' : Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString()
  return text.startsWith(keyPrefix) ? text.slice(keyPrefix.length) : undefined
}

export function encodeEarlierSchema({ topic, message, descriptors }: EarlierSchema): Uint8Array {
  return Buffer.from(JSON.stringify({ topic, message, descriptors: Buffer.from(descriptors).toString('base64') }))
}

/** `undefined`: the value has another form. */
export function decodeEarlierSchema(value: Uint8Array): EarlierSchema | undefined {
  const json = parseValue(value, (what) => new Error(`An earlier schema cannot be read: ${what}.`))
  const { topic, message, descriptors } = json
  if (typeof topic !== 'string' || typeof message !== 'string' || typeof descriptors !== 'string') return undefined
  return { topic, message, descriptors: Buffer.from(descriptors, 'base64') }
}
