import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A gateway serves keys of one environment: `production` those that begin `hr_live_`, `development` `hr_test_`. */
export type Environment = 'production' | 'development'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
/** Characters of a key behind its prefix. */
export const keyBodyLength: number = randomLength + checksumLength
const prefixes: Readonly<Record<Environment, string>> = { production: 'hr_live_', development: 'hr_test_' }
const pattern = new RegExp(`^hr_(?:live|test)_[0-9A-Za-z]{${keyBodyLength}}$`)

/** Makes a new API key: prefix, 30 random base62 characters (178 bits), 6 characters of checksum. */
export function generateKey(environment: Environment): string {
  let body = prefixes[environment]
  for (let n = 0; n < randomLength; n++) body += alphabet[randomInt(alphabet.length)]
  return body + checksum(body)
}

/** The environment of a well-formed key, or `undefined` where prefix, length or checksum are wrong. Looks nothing up. */
export function keyEnvironment(key: string): Environment | undefined {
  if (!pattern.test(key)) return undefined
  const body = key.slice(0, -checksumLength)
  if (checksum(body) !== key.slice(-checksumLength)) return undefined
  return key.startsWith(prefixes.production) ? 'production' : 'development'
}

/** Whether this is a key without its prefix, of whatever environment. */
export function isKeyBody(text: string): boolean {
  return Object.values(prefixes).some((prefix) => keyEnvironment(prefix + text) !== undefined)
}

/** What is stored of a key, and looked up: its SHA-256 in hex. The key's own randomness makes a salt needless. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let n = 0; n < checksumLength; n++) {
    text = alphabet[rest % alphabet.length] + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
