import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAnswerStore } from './answer-store.ts'
import { createEarlierAnswers } from './earlier-answers.ts'
import type { KeptAnswers } from './kept-answer.ts'
import { rememberFetch } from './remember-fetch.ts'

let server: Server
let url: string
/** What came over the network, and what it is answered. */
let asked: string[]
let answer: (
  request: IncomingMessage,
  count: number,
) => { status?: number; headers?: object; body?: string | Uint8Array }
const store = () => createAnswerStore({ maxBytes: 64 << 20, maxAgeMs: 3_600_000, now: () => 0 })

beforeEach(async () => {
  asked = []
  answer = (_, count) => ({ body: `answer ${count}` })
  server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${await text(request)}`.trim())
    const { status = 200, headers = {}, body = '' } = answer(request, asked.length)
    response.writeHead(status, { ...headers }).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void server.close())

/** A run that knows what has been answered before it. */
function beginRun(kept: ReturnType<typeof store>): KeptAnswers & { readonly kept: () => Promise<unknown> } {
  const known = new Set(kept.keys())
  const before = known.size
  return {
    recall: async (key) => (known.delete(key) ? kept.recall(key) : undefined),
    keep: (key, one) => kept.keep(key, one),
    /** What is kept is read beside what the author reads, so it is there a moment later. */
    kept: () => expect.poll(() => kept.keys().length).toBeGreaterThan(before),
  }
}

test('a request that was answered before is answered so once, and then by the network', async () => {
  const kept = store()
  const first = beginRun(kept)
  const fetchFirst = rememberFetch(fetch, first)
  expect(await (await fetchFirst(`${url}/items?page=1`)).text()).toBe('answer 1')
  await first.kept()
  expect(await (await fetchFirst(`${url}/items?page=1`)).text()).toBe('answer 2')
  await expect.poll(() => kept.recall(kept.keys()[0]!)?.body).toEqual(Buffer.from('answer 2'))

  const fetchSecond = rememberFetch(fetch, beginRun(kept))
  const again = await fetchSecond(new URL(`${url}/items?page=1#part`))
  expect([again.url, again.status, again.statusText, await again.text()]).toEqual([
    `${url}/items?page=1`,
    200,
    'OK',
    'answer 2',
  ])
  expect(asked).toHaveLength(2)
  expect(await (await fetchSecond(`${url}/items?page=1`)).text()).toBe('answer 3')
  expect(await (await fetchSecond(`${url}/items?page=2`)).text()).toBe('answer 4')
})

test('what an answer depends on tells requests apart', async () => {
  const kept = store()
  const first = beginRun(kept)
  await rememberFetch(fetch, first)(`${url}/a`, { headers: { authorization: 'Bearer one' } })
  await first.kept()
  const second = rememberFetch(fetch, beginRun(kept))
  await second(`${url}/a`, { headers: { authorization: 'Bearer two' } })
  await second(`${url}/a`, { headers: { authorization: 'Bearer one' }, cache: 'no-store' })
  await second(`${url}/a`, { method: 'HEAD', headers: { authorization: 'Bearer one' } })
  await second(`${url}/a`, { method: 'POST', headers: { authorization: 'Bearer one' }, body: 'x' })
  await second(`${url}/a`, { method: 'DELETE', headers: { authorization: 'Bearer one' } })
  expect(asked).toEqual(['GET /a', 'GET /a', 'GET /a', 'HEAD /a', 'POST /a x', 'DELETE /a'])
  await second(new Request(`${url}/a`, { headers: { Authorization: 'Bearer one' } }))
  expect(asked).toHaveLength(6)
})

test('bytes, compression and headers come as they came', async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
  answer = () => ({ headers: { 'content-encoding': 'gzip', 'x-next': 'abc' }, body: gzipSync(bytes) })
  const kept = store()
  const first = beginRun(kept)
  expect(Buffer.from(await (await rememberFetch(fetch, first)(`${url}/b`)).arrayBuffer())).toEqual(Buffer.from(bytes))
  await first.kept()
  const again = await rememberFetch(fetch, beginRun(kept))(`${url}/b`)
  expect(again.headers.get('x-next')).toBe('abc')
  expect(Buffer.from(await again.arrayBuffer())).toEqual(Buffer.from(bytes))
  expect(asked).toHaveLength(1)
})

test('an answer without content is given again', async () => {
  answer = () => ({ status: 204 })
  const kept = store()
  const first = beginRun(kept)
  await rememberFetch(fetch, first)(`${url}/c`)
  await first.kept()
  expect((await rememberFetch(fetch, beginRun(kept))(`${url}/c`)).status).toBe(204)
  expect(asked).toHaveLength(1)
})

test.each([
  ['an error', { status: 500 }],
  ['a redirect that is not followed', { status: 302, headers: { location: '/d' } }],
  ['a stream of events', { headers: { 'content-type': 'text/event-stream' }, body: 'data: 1\n\n' }],
  ['a very long answer', { body: 'x'.repeat((8 << 20) + 1) }],
])('%s is not kept', async (_, one) => {
  answer = ({ url: path }) => (path === '/d' ? one : { body: 'good' })
  const kept = store()
  const first = beginRun(kept)
  const remembering = rememberFetch(fetch, first)
  await (await remembering(`${url}/d`, { redirect: 'manual' })).text()
  await (await remembering(`${url}/good`)).text()
  await first.kept()
  const again = rememberFetch(fetch, beginRun(kept))
  await (await again(`${url}/d`, { redirect: 'manual' })).text()
  await (await again(`${url}/good`)).text()
  expect(asked).toEqual(['GET /d', 'GET /good', 'GET /d'])
})

test('what is no request, and one that was given up, fails as ever', async () => {
  const kept = store()
  const first = beginRun(kept)
  await rememberFetch(fetch, first)(`${url}/e`)
  await first.kept()
  const again = rememberFetch(fetch, beginRun(kept))
  await expect(again('nowhere')).rejects.toThrow(TypeError)
  await expect(again(`${url}/e`, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  await expect(again('http://127.0.0.1:1/')).rejects.toThrow('fetch failed')
})

test('JSON-RPC calls are answered again with the ids that they have now; errors are not kept', async () => {
  const bodyOf = (id: number, method = 'eth_getLogs') => JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })
  answer = (_, count) => ({ body: JSON.stringify({ jsonrpc: '2.0', id: count, result: `0x${count}` }) })
  const post = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const kept = store()
  const first = beginRun(kept)
  const remembering = rememberFetch(fetch, first)
  await remembering(url, post(bodyOf(1)))
  await first.kept()
  answer = (_, count) => ({ body: JSON.stringify({ id: count, error: { code: -32005, message: 'limit exceeded' } }) })
  await (await remembering(url, post(bodyOf(2, 'eth_chainId')))).text()
  await (await remembering(url, post(bodyOf(3, 'eth_sendRawTransaction')))).text()

  const again = rememberFetch(fetch, beginRun(kept))
  const request = new Request(url, post(bodyOf(41)))
  expect(await (await again(request)).json()).toEqual({ jsonrpc: '2.0', id: 41, result: '0x1' })
  expect(asked).toHaveLength(3)
  await again(url, post(bodyOf(5, 'eth_chainId')))
  await again(url, post(bodyOf(6, 'eth_sendRawTransaction')))
  expect(asked).toHaveLength(5)
})

test('sources that send their requests themselves share what is kept', async () => {
  const request = { method: 'POST', url, headers: { 'content-type': 'application/json' } }
  const bodyOf = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })
  let sent = 0
  const send = async () => ({ status: 200, headers: { 'x-a': ['1', '2'] }, body: `{"id":${++sent},"result":"0x1"}` })
  const kept = store()
  const first = createEarlierAnswers(beginRun(kept))
  expect((await first.answer({ ...request, body: bodyOf(1) }, send)).body).toBe('{"id":1,"result":"0x1"}')
  const second = createEarlierAnswers(beginRun(kept))
  expect(await second.answer({ ...request, body: bodyOf(8) }, send)).toEqual({
    status: 200,
    headers: { 'x-a': '1,2' },
    body: '{"id":8,"result":"0x1"}',
  })
  expect(sent).toBe(1)
  await second.answer({ ...request, body: bodyOf(9) }, send)
  expect(sent).toBe(2)
})
