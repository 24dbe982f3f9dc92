import { type Queue, UserError } from '@headrace/queue'
import type { MetricsAddress } from '@headrace/queue/metrics'
import type { Logger } from 'pino'
import { parseNetwork } from '../access/client-address.ts'
import type { KeylessOptions } from '../access/keyless.ts'
import type { Environment } from '../access/keys/key-format.ts'
import { checkLine } from '../access/keys/text-line.ts'
import { isTopicPattern } from '../access/keys/topic-pattern.ts'
import type { LimitStore } from '../access/limits/limit-store.ts'
import { createLocalLimits } from '../access/limits/local-limits.ts'
import { limits as defaultLimits, type Limits } from './limits.ts'

export interface GatewayOptions {
  readonly queue: Queue
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** 0 takes a free one. Default 8080. */
  readonly port?: number
  /** Whose keys it accepts. Default `development`. */
  readonly environment?: Environment
  readonly metrics?: MetricsAddress
  /** Requests per second of keys that have no rate of their own, 1–1,000,000. Default 100. */
  readonly defaultRate?: number
  /** Requests at once of keys that have no burst of their own, 1–1,000,000. Default 200. */
  readonly defaultBurst?: number
  /** What callers without a key may do. Default: nothing, their rate is 0. */
  readonly keyless?: KeylessOptions
  /**
   * Addresses and networks of proxies whose `X-Forwarded-For` names the address of a caller without a key: `10.0.0.1`,
   * `10.0.0.0/8`. Default: none.
   */
  readonly trustedProxies?: readonly string[]
  /** Whom to ask for a key or other limits: a URL, an e-mail address or a text of 1–200 characters on one line. */
  readonly contact?: string
  /** Counts requests and connections. Default: one of its own. Gateways with a common one share the limits. */
  readonly limitStore?: LimitStore
  /** The label `gateway` of its metrics, from 1. Default 1. */
  readonly number?: number
  /**
   * Who may store sealed pages: `private`, readers alone; `public`, also a shared cache, which must ask
   * `/api/v1/authorize` about every request. Default `private`.
   */
  readonly cache?: 'private' | 'public'
  /**
   * Folder of a web page that `GET /` sends to browsers, such as `explorerFolder` of `@headrace/explorer`. Default: none.
   * It has `index.html` and the folder `assets` with files `NAME-HASH.EXT`, which browsers keep for a year: the hash, 8
   * characters, changes with the content. The page must contain no inline code or style. Next to a file, `.br` and `.gz`
   * are its compressed forms. All files are read once, at the start, and kept in memory.
   */
  readonly explorer?: string
  /**
   * URLs with user and password of schema registries that adopted topics name: `https://user:password@host`. Others are
   * asked without credentials.
   */
  readonly schemaRegistries?: readonly string[]
  /** Replace defaults of `docs/reference/limits.md`. */
  readonly limits?: Partial<Limits>
  readonly log: Logger
}

type Optional = 'metrics' | 'keyless' | 'contact' | 'explorer'

export type CompleteOptions = Omit<Required<GatewayOptions>, Optional | 'limits'> &
  Pick<GatewayOptions, Optional> & { readonly limits: Limits }

/** The highest delay of a Node.js timer, in ms. */
const highestLimit = 2 ** 31 - 1

export function completeOptions(options: GatewayOptions): CompleteOptions {
  const { number = 1, defaultRate = 100, defaultBurst = 200, keyless, trustedProxies = [], contact } = options
  const { schemaRegistries = [] } = options
  if (!(Number.isInteger(number) && number >= 1))
    throw invalid(`number is ${number}; a whole number from 1 on is allowed.`)
  checkLimits({ defaultRate, defaultBurst })
  if (keyless) checkKeyless(keyless)
  for (const proxy of trustedProxies)
    if (!parseNetwork(proxy))
      throw invalid(
        `${JSON.stringify(proxy)} is not the address of a proxy: an IP address, or a network such as 10.0.0.0/8.`,
      )
  const wrongContact = contact === undefined ? undefined : checkLine(contact, 200)
  if (wrongContact !== undefined) throw invalid(`The contact ${wrongContact}`)
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    if (!Object.hasOwn(defaultLimits, name))
      throw invalid(`There is no limit "${name}". There are: ${Object.keys(defaultLimits).join(', ')}.`)
    if (!(Number.isInteger(value) && value >= 1 && value <= highestLimit))
      throw invalid(`The limit ${name} is ${value}; a whole number from 1 to ${highestLimit} is allowed.`)
  }
  const limits = { ...defaultLimits, ...options.limits }
  if (limits.headersMs > limits.requestMs)
    throw invalid(
      `The limit headersMs is ${limits.headersMs} and requestMs is ${limits.requestMs}; headersMs may be at most requestMs.`,
    )
  return {
    ...{ host: '127.0.0.1', port: 8080, environment: 'development', cache: 'private' },
    ...{ limitStore: createLocalLimits(), ...options },
    ...{ number, defaultRate, defaultBurst, trustedProxies, schemaRegistries, limits },
  }
}

function checkKeyless({ topics, rate, burst }: KeylessOptions): void {
  checkLimits({ 'keyless.rate': rate, 'keyless.burst': burst })
  if (topics.length === 0) throw invalid('keyless.topics is empty; name the topics that need no key.')
  for (const pattern of topics)
    if (!isTopicPattern(pattern))
      throw invalid(
        `${JSON.stringify(pattern)} is not a topic pattern: a topic name in which * matches any characters.`,
      )
}

function checkLimits(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits))
    if (!(Number.isInteger(value) && value >= 1 && value <= 1_000_000))
      throw invalid(`${name} is ${value}; a whole number from 1 to 1,000,000 is allowed.`)
}

function invalid(message: string): UserError {
  return new UserError('invalid_gateway_options', message)
}
