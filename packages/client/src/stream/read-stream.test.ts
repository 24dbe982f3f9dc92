import { afterEach, expect, test, vi } from 'vitest'
import type { RetryNotice } from '../retry.ts'
import { createCredentials } from '../service/credentials.ts'
import type { Service } from '../service/service.ts'
import { readStream } from './read-stream.ts'

afterEach(() => void vi.useRealTimers())

test('a silent topic is read indefinitely if its connections last for a while', async () => {
  vi.useFakeTimers()
  const service = serviceOf((controller) => setTimeout(() => controller.error(new TypeError('cut')), 12_000))
  const notices: RetryNotice[] = []
  const stop = new AbortController()
  const reading = readStream(
    { ...settings, service, onRetry: (notice) => void notices.push(notice) },
    { signal: stop.signal },
    new Map([['a.b', 'AQ']]),
  )
  const next = reading.next()
  next.catch(() => {})
  await vi.advanceTimersByTimeAsync(120_000)
  stop.abort('enough')
  await expect(next).rejects.toBe('enough')
  expect(notices.length).toBeGreaterThan(5)
  expect(notices.every(({ attempt }) => attempt === 1)).toBe(true)
})

test('an aborted reader gets no further batch, even of received messages', async () => {
  const progress = { cursors: { 'a.b': 'AQB' }, units: {} }
  const service = serviceOf((controller) => {
    for (const text of [recordEvent(0), event('progress', progress), recordEvent(1)]) controller.enqueue(text)
  })
  const stop = new AbortController()
  const reading = readStream({ ...settings, service }, { signal: stop.signal }, new Map([['a.b', 'AQ']]))
  expect((await reading.next()).value).toMatchObject({ records: [{ seq: '0' }] })
  stop.abort('enough')
  await expect(reading.next()).rejects.toBe('enough')
})

test('a stream reconnects with a new token ahead of the end of the old one, which is not a failure', async () => {
  vi.useFakeTimers()
  const tokens: string[] = []
  const token = async () => {
    const iat = Date.now() / 1000
    tokens.push(`e30.${btoa(JSON.stringify({ iat, exp: iat + 100 }))}.x`)
    return tokens.at(-1)!
  }
  let connections = 0
  const service = serviceOf((controller) => controller.enqueue(recordEvent(connections++)), { token })
  const notices: RetryNotice[] = []
  const reading = readStream(
    { ...settings, service, onRetry: (notice) => void notices.push(notice) },
    {},
    new Map([['a.b', 'AQ']]),
  )
  for (let seq = 0; seq < 3; seq++) {
    const next = reading.next()
    // The stream is silent, and the gateway does not end it.
    if (seq > 0) await vi.advanceTimersByTimeAsync(99_000)
    expect((await next).value).toMatchObject({ records: [{ seq: `${seq}` }] })
  }
  expect([tokens.length, notices]).toEqual([3, []])
  await reading.return()
})

test('a socket that is closed for its token before it is subscribed gets a new token', async () => {
  const tokens = ['e30.old.x', 'e30.new.x']
  const used: string[] = []
  const openSocket = ({ value }: { value: string }) => {
    used.push(value)
    const socket = { onopen() {}, onmessage(_: { data: string }) {}, onclose(_: object) {}, close() {}, send }
    setTimeout(() => socket.onopen())
    return socket

    function send() {
      const result = { topics: [{ topic: 'a.b', cursor: 'AQ' }], heartbeatMs: 100_000 }
      const record = { topic: 'a.b', partition: 0, seq: '0', cursor: 'AQ0' }
      if (used.length === 1) return socket.onclose({ code: 4401, reason: 'The API key has been revoked.' })
      for (const message of [
        { id: 1, result },
        { method: 'subscription', params: record },
      ])
        socket.onmessage({ data: JSON.stringify({ jsonrpc: '2.0', ...message }) })
    }
  }
  const credentials = createCredentials({ token: async () => tokens[used.length]! })
  const service = { openSocket, credentials } as unknown as Service
  const reading = readStream({ ...settings, transport: 'websocket', service }, {}, new Map([['a.b', 'AQ']]))
  expect((await reading.next()).value).toMatchObject({ records: [{ seq: '0' }] })
  expect(used).toEqual(tokens)
  await reading.return()
})

const settings = {
  transport: 'sse',
  bufferSize: 1000,
  retryForMs: 30_000,
  onRetry: undefined,
  onConnect: undefined,
} as const

/** Answers each request with an event stream that starts, and that the test continues. */
function serviceOf(
  goOn: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  credentials: Parameters<typeof createCredentials>[0] = { apiKey: 'hr_test_key' },
): Service {
  const ready = { topics: [{ topic: 'a.b', cursor: 'AQ' }], heartbeatMs: 100_000 }
  const get = async () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(event('ready', ready))
      goOn(controller)
    }
    return new Response(new ReadableStream({ start }))
  }
  return { get, credentials: createCredentials(credentials) } as unknown as Service
}

function recordEvent(seq: number): Uint8Array {
  return event('message', { topic: 'a.b', partition: 0, seq: `${seq}`, cursor: `AQ${seq}` })
}

function event(name: string, data: object): Uint8Array {
  return new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}
