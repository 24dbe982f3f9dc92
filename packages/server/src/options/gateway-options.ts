import { type Queue, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import type { Environment } from '../access/keys/key-format.ts'
import type { MetricsAddress } from '../metrics/serve-gateway-metrics.ts'
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
  /** How many gateways share one address, and so the limits of a key. Default 1. */
  readonly gateways?: number
  /** The label `gateway` of its metrics, from 1. Default 1. */
  readonly number?: number
  /**
   * Who may store sealed pages: `private`, readers alone; `public`, also a shared cache, which must ask
   * `/api/v1/authorize` about every request. Default `private`.
   */
  readonly cache?: 'private' | 'public'
  /** Replace defaults of `docs/reference/limits.md`. */
  readonly limits?: Partial<Limits>
  readonly log: Logger
}

export type CompleteOptions = Omit<Required<GatewayOptions>, 'metrics' | 'limits'> &
  Pick<GatewayOptions, 'metrics'> & { readonly limits: Limits }

/** The highest delay of a Node.js timer, in ms. */
const highestLimit = 2 ** 31 - 1

export function completeOptions(options: GatewayOptions): CompleteOptions {
  const { gateways = 1, number = 1 } = options
  if (!(Number.isInteger(gateways) && gateways >= 1))
    throw invalid(`gateways is ${gateways}; a whole number from 1 on is allowed.`)
  if (!(Number.isInteger(number) && number >= 1 && number <= gateways))
    throw invalid(`number is ${number}; a whole number from 1 to ${gateways}, the number of gateways, is allowed.`)
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
  const defaults = { host: '127.0.0.1', port: 8080, environment: 'development', cache: 'private' } as const
  return { ...defaults, ...options, gateways, number, limits }
}

function invalid(message: string): UserError {
  return new UserError('invalid_gateway_options', message)
}
