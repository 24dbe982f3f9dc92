import { expect, expectTypeOf, test } from 'vitest'
import { createClient } from './client.ts'
import { InvalidOptionError } from './errors.ts'

const url = 'http://127.0.0.1:1'
const apiKey = 'hr_test_key'

test.each([
  ['an address without a scheme', { url: '127.0.0.1:8080' }],
  ['an address of another scheme', { url: 'ws://127.0.0.1' }],
  ['an address with a query', { url: 'https://example.com/?api_key=1' }],
  ['an address for live data without a scheme', { streamUrl: 'example.com' }],
  ['no key', { apiKey: '' }],
  ['a key with a line end', { apiKey: `${apiKey}\n` }],
  ['a key with a space', { apiKey: `${apiKey} x` }],
  ['a key with a character that no header allows', { apiKey: `${apiKey}…` }],
  ['an origin with a character that no header allows', { origin: 'https://exämple.com' }],
  ['no origin', { origin: '' }],
  ['an unknown transport', { transport: 'tcp' as 'sse' }],
  ['a buffer of size 0', { bufferSize: 0 }],
  ['a retry time that is not a number', { retryForMs: Number.NaN }],
])('%s is refused before a request', (_, option) => {
  expect(() => createClient({ url, apiKey, ...option })).toThrow(InvalidOptionError)
})

test('an empty list of topics and a page size outside 1 to 1000 are refused before a request', () => {
  const client = createClient({ url, apiKey })
  expect(() => client.history({ topic: 'a', pageSize: 0 })).toThrow(InvalidOptionError)
  expect(() => client.history({ topic: 'a', pageSize: 1001 })).toThrow(InvalidOptionError)
  expect(() => client.subscribe({ topics: [] })).toThrow(InvalidOptionError)
  expect(() => client.follow({ topics: [] })).toThrow(InvalidOptionError)
})

test('errors do not contain the key', () => {
  const secret = 'hr_live_secret'
  expect(() => createClient({ url: `https://example.com/?api_key=${secret}`, apiKey })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(secret) }),
  )
  expect(() => createClient({ url, apiKey: `${secret}\u2028` })).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.not.stringContaining(secret) }),
  )
})

test('a client has either a key or a function that returns tokens', () => {
  const token = async () => 'eyJ'
  createClient({ url, token })
  // @ts-expect-error: neither
  expect(() => createClient({ url })).toThrow(InvalidOptionError)
  // @ts-expect-error: both
  expect(() => createClient({ url, apiKey, token })).toThrow(InvalidOptionError)
})

interface Block {
  readonly Hash: string
}
interface Order {
  readonly number: string
}
interface Topics {
  readonly 'a.b.1_0_0.x_Block': Block
  readonly 'a.b.1_0_0.x_Order': Order
}

test('messages have the types that the caller declares for each topic', () => {
  const client = createClient<Topics>({ url, apiKey })
  type BatchOf<Iterable> = Iterable extends AsyncIterable<infer Batch> ? Batch : never
  const one = () => client.follow({ topics: ['a.b.1_0_0.x_Block'] })
  expectTypeOf<BatchOf<ReturnType<typeof one>>['records'][number]['value']>().toEqualTypeOf<Block | null>()

  const both = () => client.subscribe({ topics: ['a.b.1_0_0.x_Block', 'a.b.1_0_0.x_Order'] })
  type Both = BatchOf<ReturnType<typeof both>>
  type Orders = Extract<Both, { topic: 'a.b.1_0_0.x_Order' }>
  expectTypeOf<Orders['records'][number]['value']>().toEqualTypeOf<Order | null>()

  // @ts-expect-error This topic is not one of them.
  client.history({ topic: 'a.b.1_0_0.x_Other' })
})

test('without types, topics are strings and values are unknown', () => {
  const pages = () => createClient({ url, apiKey }).history({ topic: 'any' })
  type Page = ReturnType<typeof pages> extends AsyncGenerator<infer Page> ? Page : never
  expectTypeOf<Page['records'][number]['value']>().toEqualTypeOf<Readonly<Record<string, unknown>> | null>()
})
