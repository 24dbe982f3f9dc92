import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Keys begin with `hr_live_` for `production`, and with `hr_test_` for `development`. */
export type Environment = 'production' | 'development'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
export const keyBodyLength: number = randomLength + checksumLength
const prefixes: Readonly<Record<Environment, string>> = { production: 'hr_live_', development: 'hr_test_' }
const pattern = new RegExp(`^hr_(?:live|test)_[0-9A-Za-z]{${keyBodyLength}}$`)

/** Prefix, 30 random base62 characters (178 bits), 6 characters of CRC-32. */
export function generateKey(environment: Environment): string {
  let body = prefixes[environment]
  for (let n = 0; n < randomLength; n++) body += alphabet[randomInt(alphabet.length)]
  return body + checksum(body)
}

export function keyEnvironment(key: string): Environment | undefined {
  if (!pattern.test(key)) return undefined
  const body = key.slice(0, -checksumLength)
  if (checksum(body) !== key.slice(-checksumLength)) return undefined
  return key.startsWith(prefixes.production) ? 'production' : 'development'
}

export function isKeyBody(text: string): boolean {
  return Object.values(prefixes).some((prefix) => keyEnvironment(prefix + text) !== undefined)
}

/** Without a salt, because keys are random. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksum(body: string): string {
  let value = crc32(body)
  let text = ''
  for (let n = 0; n < checksumLength; n++) {
    text = alphabet[value % alphabet.length] + text
    value = Math.floor(value / alphabet.length)
  }
  return text
}
