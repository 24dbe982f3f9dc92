import { homedir } from 'node:os'

export type Redact = <T>(value: T) => T

const redacted = '(redacted)'
/** A shorter one is in ordinary words too. */
const shortestSecret = 6

/**
 * A second barrier: no file of a bundle is made from secrets. Replaces, in all texts of a value, the values of variables
 * whose names are those of secrets, what follows the host of URLs in variables, and what looks like a key.
 */
export function createRedact(variables: Readonly<Record<string, string | undefined>>): Redact {
  const secrets = Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : secretsOf(name, value)))
    .filter((secret) => secret.length >= shortestSecret)
    .sort((one, other) => other.length - one.length)
  const home = homedir()
  const redactText = (text: string): string => {
    let result = text
    for (const secret of secrets) result = result.replaceAll(secret, redacted)
    for (const form of secretForms) result = result.replace(form, redacted)
    result = result.replace(credentials, `$1${redacted}@`)
    return home.length > 1 ? result.replaceAll(home, '~') : result
  }
  return (value) => mapTexts(value, redactText) as typeof value
}

const secretName = /key|secret|token|passw|pwd|credential|auth|private|mnemonic|jaas|dsn/i

function secretsOf(name: string, value: string): string[] {
  const urls = value.split(/[\s,]+/).filter((word) => /^[a-z][a-z0-9+.-]*:\/\//i.test(word) && URL.canParse(word))
  return [...(secretName.test(name) ? [value, ...value.split(/\s+/)] : []), ...urls.flatMap(secretsOfUrl)]
}

function secretsOfUrl(text: string): string[] {
  const { username, password, pathname, searchParams } = new URL(text)
  const decoded = [username, password].map((part) => decodeURIComponent(part))
  return [username, password, ...decoded, pathname, ...pathname.split('/'), ...searchParams.values()]
}

/** API keys of a gateway, JSON Web Tokens (RFC 7519) and PEM (RFC 7468). */
const secretForms = [
  /hr_(?:live|test)_\w+/g,
  /eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/g,
]
const credentials = /(\/\/)[^/\s@"]+@/g

const plainName = /^[A-Za-z][A-Za-z_]{0,23}$/

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [plainName.test(name) ? name : map(name), mapTexts(one, map)]),
  )
}

/** The shape of an author's value: a position may be the URL of a next page, with its token. */
export function maskTexts(value: unknown): unknown {
  return mapTexts(value, (text) => `(text of ${text.length} characters)`)
}
