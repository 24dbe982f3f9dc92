import { UserError } from '@headrace/queue'
import type { GatewayOptions } from '../gateway.ts'
import { limits as defaultLimits, type Limits } from './limits.ts'

export type CompleteOptions = Omit<Required<GatewayOptions>, 'metrics' | 'limits'> &
  Pick<GatewayOptions, 'metrics'> & { readonly limits: Limits }

/** A timer takes no longer time, in ms, and no limit needs to be higher. */
const highestLimit = 2 ** 31 - 1

/**
 * The options of a gateway with the defaults of those that are not given.
 *
 * @throws {UserError} `invalid_gateway_options`
 */
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
      `The limit headersMs is ${limits.headersMs} and requestMs ${limits.requestMs}; a request has no less time than its headers.`,
    )
  return {
    host: '127.0.0.1',
    port: 8080,
    environment: 'development',
    ...options,
    gateways,
    number,
    limits,
  }
}

function invalid(message: string): UserError {
  return new UserError('invalid_gateway_options', message)
}
