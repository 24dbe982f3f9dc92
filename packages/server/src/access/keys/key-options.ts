import { UserError } from '@headrace/queue'
import { checkOrigin } from '../origins/origin.ts'
import { type ApiKey, type Quota, quotaNames } from './api-key.ts'
import { checkLine } from './text-line.ts'
import { isTopicPattern } from './topic-pattern.ts'

type Rights = 'topics' | 'origins' | 'requireOrigin' | 'rate' | 'burst' | 'connections' | 'quota' | 'contact'

/** What can be chosen for a key. */
export interface KeyOptions extends Partial<Pick<ApiKey, 'name' | Rights>> {
  readonly expires?: Date
}

/** @throws {UserError} `invalid_key_options` */
export function checkKeyOptions(options: KeyOptions, environment: ApiKey['environment']): void {
  const { name, topics, origins = [], quota, contact, expires } = options
  if (name !== undefined) checkText('name', name, 100)
  if (contact !== undefined) checkText('contact', contact, 200)
  for (const pattern of topics ?? [])
    if (!isTopicPattern(pattern))
      fail(`${JSON.stringify(pattern)} is not a topic pattern: a topic name in which * matches any characters.`)
  if (topics?.length === 0) fail('A key needs at least one topic pattern; "*" covers every topic.')
  for (const origin of origins) {
    const wrong = checkOrigin(origin, environment)
    if (wrong !== undefined) fail(wrong)
  }
  for (const name of ['rate', 'burst', 'connections'] as const) {
    const value = options[name]
    if (value !== undefined && !isWhole(value, 1_000_000))
      fail(`${name} is ${value}; a whole number from 1 to 1,000,000 is allowed.`)
  }
  if (quota !== undefined) checkQuota(quota)
  if (expires !== undefined && Number.isNaN(expires.getTime())) fail('expires is not a valid date.')
}

function checkText(what: 'name' | 'contact', text: string, most: number): void {
  const wrong = checkLine(text, most)
  if (wrong !== undefined) fail(`The ${what} of a key ${wrong}`)
}

const highestQuota = 1_000_000_000_000_000

function checkQuota(quota: Quota): void {
  const entries = Object.entries(quota)
  if (entries.length === 0) fail(`A quota limits at least one of ${quotaNames.join(', ')}.`)
  for (const [name, value] of entries) {
    if (!quotaNames.some((known) => known === name))
      fail(`There is no quota of ${JSON.stringify(name)}. There are: ${quotaNames.join(', ')}.`)
    if (!isWhole(value, highestQuota))
      fail(
        `The quota of ${name} is ${value}; a whole number from 1 to ${highestQuota.toLocaleString('en')} is allowed.`,
      )
  }
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
}

function fail(message: string): never {
  throw new UserError('invalid_key_options', message)
}
