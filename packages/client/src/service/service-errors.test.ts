import { expect, test } from 'vitest'
import { PositionUnavailableError, RefusedError, UnavailableError } from '../errors.ts'
import { closeError, responseError as readError, readRetryAfter, streamError } from './service-errors.ts'

const responseError = (response: Response) => readError(response, new AbortController().signal)
const problem = (status: number, members: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(members), { status, headers: { 'content-type': 'application/problem+json', ...headers } })

test('a refusal has the code, the detail and the request id of the problem document', async () => {
  const error = await responseError(problem(403, { code: 'topic_forbidden', detail: 'Not yours.', requestId: 'r1' }))
  expect(error).toBeInstanceOf(RefusedError)
  expect(error).toMatchObject({ code: 'topic_forbidden', message: 'Not yours.', status: 403, requestId: 'r1' })
})

test('a lost position names the cursor to continue from', async () => {
  const members = { code: 'position_unavailable', detail: 'Gone.', topic: 'a', earliest: 'AQ', reason: 'truncated' }
  const error = await responseError(problem(410, members))
  expect(error).toBeInstanceOf(PositionUnavailableError)
  expect(error).toMatchObject({ topic: 'a', earliest: 'AQ', reason: 'truncated' })
})

test('a position that was lost while it was read is retried, since the next answer names the cursor to continue from', async () => {
  const error = await responseError(
    problem(410, { code: 'position_unavailable', detail: 'Gone just now.', topic: 'a' }),
  )
  expect(error).toBeInstanceOf(UnavailableError)
})

test('a temporary refusal is retried after the time that the gateway demands', async () => {
  const limited = await responseError(problem(429, { code: 'rate_limited', detail: '' }, { 'retry-after': '3' }))
  expect(limited).toBeInstanceOf(UnavailableError)
  expect(limited).toMatchObject({ code: 'rate_limited', retryAfterMs: 3000 })
  for (const code of ['draining', 'overloaded', 'connection_limit', 'internal'])
    expect(await responseError(problem(503, { code, detail: '' }))).toBeInstanceOf(UnavailableError)
})

test('a rate limit without Retry-After is final', async () => {
  expect(await responseError(problem(429, { code: 'rate_limited', detail: '' }))).toBeInstanceOf(RefusedError)
})

test.each([502, 504, 500, 429, 408])('status %i from a proxy is retried', async (status) => {
  const error = await responseError(new Response('<html>', { status, headers: { 'retry-after': '2' } }))
  expect(error).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2000 })
})

test('a response that is not from a gateway is final', async () => {
  const error = await responseError(new Response('Not here.', { status: 404 }))
  expect(error).toBeInstanceOf(RefusedError)
  expect(error).toMatchObject({ code: 'unexpected_answer', status: 404 })
  expect(await responseError(problem(400, {}))).toMatchObject({ code: 'unexpected_answer' })
})

test.each([404, 403, 503])('an interrupted response with status %i is retried', async (status) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"code":"topic_forb'))
      controller.error(new TypeError('terminated'))
    },
  })
  const headers = { 'content-type': 'application/problem+json' }
  await expect(responseError(new Response(body, { status, headers }))).rejects.toMatchObject({
    ...{ name: 'UnavailableError', code: 'service_unavailable', message: 'The response was interrupted.' },
  })
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-08-21T10:00:00Z')
  expect(readRetryAfter('12', now)).toBe(12_000)
  expect(readRetryAfter('Fri, 21 Aug 2026 10:00:05 GMT', now)).toBe(5000)
  expect(readRetryAfter('Fri, 21 Aug 2026 09:00:00 GMT', now)).toBe(0)
  expect(readRetryAfter('soon', now)).toBeUndefined()
  expect(readRetryAfter(null, now)).toBeUndefined()
})

test.each([1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4409])('close code %i is final', (code) => {
  expect(closeError({ code, reason: '' })).toBeInstanceOf(RefusedError)
})

test.each([1000, 1001, 1005, 1006, 1011, 1012, 1013, 4399, 4410, 4411, 4412, 4413, 4429])(
  'a client reconnects after close code %i',
  (code) => {
    expect(closeError({ code, reason: 'Connect again.' })).toBeInstanceOf(UnavailableError)
  },
)

test('a revoked key is the same error over both protocols', () => {
  const detail = 'The API key has been revoked or has expired.'
  for (const error of [closeError({ code: 4401, reason: detail }), streamError({ code: 'key_revoked', detail })]) {
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toMatchObject({ code: 'key_revoked', message: detail })
  }
  for (const code of ['permission_lost', 'quota_exceeded'])
    expect(streamError({ code, detail })).toBeInstanceOf(RefusedError)
})

test.each(['slow_consumer', 'position_unavailable', 'overloaded', 'unheard_of'])(
  'a client reconnects after the stream error %s',
  (code) => {
    expect(streamError({ code, detail: '' })).toBeInstanceOf(UnavailableError)
  },
)
