import { isIPv4 } from 'node:net'
import { explorerFolder } from '@headrace/explorer'
import type { Environment, GatewayOptions } from '@headrace/server'
import { type Command, Option } from 'commander'
import { integerOption, portOption } from './parse-option.ts'

/** Options of gateways, as the command line has them. */
export interface ServingOptions {
  readonly host: string
  readonly port: number
  readonly environment: Environment
  readonly cache: 'private' | 'public'
  readonly defaultRate: number
  readonly defaultBurst: number
  /** 0: callers without a key are refused. */
  readonly keylessRate: number
  readonly keylessBurst: number
  readonly publicTopics?: readonly string[]
  readonly trustProxy?: readonly string[]
  readonly contact?: string
  /** Undefined: on an address of loopback only. */
  readonly explorer?: boolean
}

const limit = integerOption(1, 1_000_000)

export function addServingOptions(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portOption, 8080)
    .addOption(
      new Option('--environment <environment>', 'environment whose keys are accepted')
        .choices(['production', 'development'])
        .default('development'),
    )
    .addOption(
      new Option('--cache <who>', 'who may store pages that cannot change: readers alone, or also a shared cache')
        .choices(['private', 'public'])
        .default('private'),
    )
    .option('--default-rate <count>', 'requests per second of a key that has no rate of its own', limit, 100)
    .option('--default-burst <count>', 'requests in a burst of a key that has no burst of its own', limit, 200)
    .option('--keyless-rate <count>', 'requests per second of an address without a key', integerOption(0, 1_000_000), 0)
    .option(
      '--keyless-burst <count>',
      'requests in a burst of an address without a key',
      integerOption(0, 1_000_000),
      0,
    )
    .option(
      '--public-topics <patterns...>',
      'topics whose history needs no key, with --keyless-rate; * matches any characters',
    )
    .option('--trust-proxy <addresses...>', 'proxies whose X-Forwarded-For names the client, e.g. 10.0.0.0/8')
    .option('--contact <text>', 'whom to ask for a key: a URL, an e-mail address or a text, for clients to read')
    .option('--explorer', 'serve the explorer, a web page, at / (default: on an address of loopback)')
    .option('--no-explorer', 'do not serve it')
    .hook('preAction', (command) => {
      const { keylessRate, keylessBurst, publicTopics } = command.opts<ServingOptions>()
      if (keylessRate > 0 !== (publicTopics !== undefined))
        command.error('error: --public-topics and a --keyless-rate above 0 need each other')
      if (keylessRate > 0 !== keylessBurst > 0)
        command.error('error: --keyless-rate and --keyless-burst are both 0, or neither of them')
    })
}

export type SharedGatewayOptions = Pick<
  GatewayOptions & Required<Pick<GatewayOptions, 'host' | 'port'>>,
  | 'host'
  | 'port'
  | 'environment'
  | 'cache'
  | 'defaultRate'
  | 'defaultBurst'
  | 'keyless'
  | 'trustedProxies'
  | 'contact'
  | 'explorer'
>

export function gatewayOptions(options: ServingOptions): SharedGatewayOptions {
  const { host, port, environment, cache, defaultRate, defaultBurst, publicTopics, trustProxy, contact } = options
  const { keylessRate: rate, keylessBurst: burst } = options
  return {
    ...{ host, port, environment, cache, defaultRate, defaultBurst },
    ...(publicTopics && { keyless: { rate, burst, topics: publicTopics } }),
    ...(trustProxy && { trustedProxies: trustProxy }),
    ...(contact !== undefined && { contact }),
    ...(servesExplorer(options) && { explorer: explorerFolder }),
  }
}

export function servesExplorer({ host, explorer }: Pick<ServingOptions, 'host' | 'explorer'>): boolean {
  return explorer ?? isLoopback(host)
}

/** RFC 1122, section 3.2.1.3, and RFC 4291, section 2.5.3. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
