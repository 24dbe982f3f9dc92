import { expect, test } from 'vitest'
import { InvalidRpcUrlError, InvalidWsUrlError } from '../errors.ts'
import { parseEndpointUrl, parseWsUrl } from './endpoint-url.ts'

test('an endpoint URL shows scheme, host and port only', () => {
  const url = parseEndpointUrl('https://user:pa%3Ass-word@node.example:8443/v2/0123456789abcdef?token=fedcba98765', 1)
  expect(url.name).toBe('https://node.example:8443')
  expect(url.path).toBe('/v2/0123456789abcdef?token=fedcba98765')
  expect(url.authorization).toBe(`Basic ${btoa('user:pa:ss-word')}`)
})

test('an endpoint URL redacts everything in a text that could be its key', () => {
  const url = parseEndpointUrl('https://me:pa%3Ass-word@node.example/v2/0123456789abcdef?token=fedcba98765', 1)
  expect(url.redact('0123456789abcdef fedcba98765 pa:ss-word at node.example/v2')).toBe(
    '*** *** *** at node.example/v2',
  )
})

test.each(['-', 'node.test/0123456789', 'ws://node.test/0123456789', 'file:///tmp/0123456789'])(
  'refuses %j without showing it',
  (text) => {
    const parse = () => parseEndpointUrl(text, 2)
    expect(parse).toThrow(InvalidRpcUrlError)
    expect(parse).toThrow('URL number 2')
    expect(parse).not.toThrow('0123456789')
  },
)

test('a badly encoded password is refused with its correct encoding', () => {
  const parse = () => parseEndpointUrl('https://me:secret%ss@node.test', 1)
  expect(parse).toThrow(InvalidRpcUrlError)
  expect(parse).toThrow('%25')
  expect(parse).not.toThrow('secret')
})

test.each(['wss://node.test/0123456789#x', 'wss://node.test/0123456789#'])(
  '%j is refused as a WebSocket URL',
  (text) => {
    const parse = () => parseWsUrl(text)
    expect(parse).toThrow(InvalidWsUrlError)
    expect(parse).toThrow('#')
    expect(parse).not.toThrow('0123456789')
  },
)
