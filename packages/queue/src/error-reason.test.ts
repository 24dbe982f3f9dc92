import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type LookupFunction } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { errorReason } from './error-reason.ts'
import { QueueUnavailableError } from './errors.ts'

/** A port of 127.0.0.1 that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

test('the reason of a refused fetch is the error of the network', async () => {
  const port = await closedPort()
  const error = await failureOf(fetch(`http://127.0.0.1:${port}/`))
  expect(errorReason(error)).toBe(`fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`)
})

test('the reason of a TLS fetch from a port without TLS includes the code', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const error = await failureOf(fetch(`https://127.0.0.1:${port}/`))
  expect(errorReason(error)).toBe('fetch failed: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)')
})

test('a host whose addresses all refuse has the reason of each, also for fetch', async () => {
  const port = await closedPort()
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses)
  const socket = connect({ host: 'two.example', port, lookup, autoSelectFamily: true })
  const [error] = await once(socket, 'error').catch((thrown: unknown) => [thrown])
  expect(error).toBeInstanceOf(AggregateError)
  const each = `connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`
  expect(errorReason(error)).toBe(each)
  expect(errorReason(new TypeError('fetch failed', { cause: error }))).toBe(`fetch failed: ${each}`)
})

const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })
const coded = Object.assign(new Error(''), { code: 'ECONNRESET' })
const cyclic = new Error('round')
cyclic.cause = cyclic

test.each([
  [new TypeError('fetch failed', { cause: expired }), 'fetch failed: certificate has expired (CERT_HAS_EXPIRED)'],
  [new Error('outer: inner', { cause: new Error('inner') }), 'outer: inner'],
  [coded, 'ECONNRESET'],
  [new Error(''), 'Error'],
  [new AggregateError([coded, coded]), 'ECONNRESET'],
  [new AggregateError([]), 'AggregateError'],
  [new Error('no text', { cause: 'a text' }), 'no text: a text'],
  [new QueueUnavailableError('Kafka is away.', { cause: coded }), 'Kafka is away.'],
  [cyclic, 'round'],
  ['a text', 'a text'],
  [undefined, 'for an unknown reason'],
])('%o has a reason', (error, reason) => {
  expect(errorReason(error)).toBe(reason)
})
