import type { Environment } from '../keys/key-format.ts'
import { isTopicPattern } from '../keys/topic-pattern.ts'

/** The claims that narrow what the key allows. */
export interface TokenRights {
  /** Patterns as in `ApiKey.topics`. */
  readonly topics?: readonly string[]
  readonly filter?: string
  /** Of the only pages that may use the token. */
  readonly origin?: string
}

/** Others are refused: a newer version, or a misspelt name, may mean to narrow the token. */
export const claimNames: readonly string[] = [
  ...['aud', 'exp', 'iat', 'nbf', 'iss', 'sub', 'jti'],
  ...['topics', 'filter', 'origin'],
]

/** In seconds. */
export const longestToken = 86_400

/** In characters, and patterns of `topics`. */
export const tokenLimits = { token: 4096, topics: 100, filter: 2048, origin: 255 } as const

export function audienceOf(environment: Environment): string {
  return `headrace:${environment}`
}

export interface ClaimFault {
  readonly claim: keyof TokenRights
  readonly message: string
}

export function faultOfRights({ topics, filter, origin }: Readonly<Record<string, unknown>>): ClaimFault | undefined {
  if (topics !== undefined && !isPatternList(topics))
    return {
      claim: 'topics',
      message: `topics must be an array of 1 to ${tokenLimits.topics} topic names, in which * matches any characters.`,
    }
  if (filter !== undefined && !isText(filter, tokenLimits.filter))
    return { claim: 'filter', message: `filter must be a text of 1 to ${tokenLimits.filter} characters.` }
  if (origin !== undefined && !isText(origin, tokenLimits.origin))
    return { claim: 'origin', message: 'origin must be that of a page, such as "https://example.com".' }
  return undefined
}

function isPatternList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= tokenLimits.topics && value.every(isTopicPattern)
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= most
}
