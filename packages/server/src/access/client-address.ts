import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { headerValues } from '../rest/request-head.ts'

/**
 * Reads the address from which a request comes: that of the connection or, if it is one of a trusted proxy, the last one
 * in `X-Forwarded-For` that is not. An address of IPv6 stands for its /64 network, of which one client has any number.
 */
export type AddressReader = (request: IncomingMessage) => string

/** @param trustedProxies - Addresses and networks: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. They must be valid. */
export function createAddressReader(trustedProxies: readonly string[]): AddressReader {
  const proxies = new BlockList()
  for (const proxy of trustedProxies) {
    const { address, prefix, family } = parseNetwork(proxy)!
    proxies.addSubnet(address, prefix, family)
  }
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0) return networkOf(address)
    const forwarded = headerValues(request, 'x-forwarded-for').join(',').split(',')
    while (isTrusted(address)) {
      const before = plainAddress(forwarded.pop() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return networkOf(address)
  }

  function isTrusted(address: string): boolean {
    return isIP(address) !== 0 && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}

export interface Network {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

export function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = prefix === undefined ? most : Number(prefix)
  return bits > most ? undefined : { address, prefix: bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** Without brackets, port and zone. An IPv4 address that is written as one of IPv6 becomes one of IPv4. */
function plainAddress(text: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text.trim()) ?? []
  const address = (inBrackets ?? ipv4 ?? text.trim()).replace(/%.*$/, '')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [first, last] = [groups(head), groups(tail ?? '')]
  // The last group may be an IPv4 address, which takes two. It never is among the first four.
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  const all = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
