import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createAddressReader, parseNetwork } from './client-address.ts'

function addressOf(remoteAddress: string, forwarded: readonly string[], ...proxies: string[]): string {
  const rawHeaders = forwarded.flatMap((value) => ['X-Forwarded-For', value])
  return createAddressReader(proxies)({ socket: { remoteAddress }, rawHeaders } as unknown as IncomingMessage)
}

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, counted) => {
  expect(addressOf(address, [])).toBe(counted)
})

test.each([
  ['no proxy is trusted', ['192.0.2.7'], [], '10.0.0.1'],
  ['the connection is not from the proxy', ['192.0.2.7'], ['10.0.0.2'], '10.0.0.1'],
  ['it is', ['192.0.2.7'], ['10.0.0.1'], '192.0.2.7'],
  ['a client sends the header itself', ['198.51.100.1, 192.0.2.7'], ['10.0.0.0/8'], '192.0.2.7'],
  ['there are two proxies', ['198.51.100.1', '192.0.2.7,10.9.9.9'], ['10.0.0.0/8'], '192.0.2.7'],
  ['all are proxies', ['10.0.0.3, 10.0.0.2'], ['10.0.0.0/8'], '10.0.0.3'],
  ['there are ports', ['192.0.2.7:4711'], ['10.0.0.1'], '192.0.2.7'],
  ['there is an IPv6 address with a port', ['[2001:db8::9]:80'], ['10.0.0.1'], '2001:db8:0:0::/64'],
  ['the header is no address', ['unknown'], ['10.0.0.1'], '10.0.0.1'],
  ['there is no header', [], ['10.0.0.1'], '10.0.0.1'],
])('if %s, X-Forwarded-For %j with proxies %j gives %s', (_, forwarded, proxies, address) => {
  expect(addressOf('10.0.0.1', forwarded, ...proxies)).toBe(address)
})

test.each(['', 'localhost', '10.0.0.0/33', '::/129', '10.0.0', '10.0.0.1/', '10.0.0.1/8/8'])(
  '%j is no network',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined()
  },
)
