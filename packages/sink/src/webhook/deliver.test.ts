import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RetryableError } from '@headrace/queue'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { SinkRecord } from '../destination/destination.ts'
import { deliver } from './deliver.ts'

const record = { topic: 'a.b.c', partition: 2, seq: '7', offset: '9' } as SinkRecord
const message = { id: 'msg_1', body: '{}', records: [record] }

/** A receiver that answers with these statuses. Returns what it took to deliver to it. */
async function deliverTo(statuses: readonly number[], headers: Record<string, string> = {}, budgetMs = 0) {
  let requests = 0
  const server = createServer((_, response) => {
    response.writeHead(statuses[requests++] ?? 200, headers).end('no "room"')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const logged: Record<string, unknown>[] = []
  const log = pino({}, { write: (line) => logged.push(JSON.parse(line)) })
  const receiver = { url, sign: () => ({}), timeoutMs: 5000, budgetMs, log }
  const error = await deliver(message, receiver, AbortSignal.timeout(1500)).catch((error) => error)
  return { requests, error, logged }
}

test('a receiver that fails for longer than the budget is unavailable, and the message names record and answer', async () => {
  const { error, logged } = await deliverTo([503])
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code: 'destination_unavailable' })
  expect(error.message).toContain('the record with seq 7 in partition 2 of "a.b.c": status 503 "no \\"room\\""')
  expect(logged).toMatchObject([{ msg: 'webhook failed', id: 'msg_1', attempt: 0 }])
})

test.each([
  ['1', 1000],
  [new Date(Date.now() + 3_600_000).toUTCString(), 300_000],
  ['soon', 0],
  ['-5', 0],
])('Retry-After: %s delays the next attempt by %i ms at least, and five minutes at most', async (value, ms) => {
  const { logged } = await deliverTo([429, 200], { 'retry-after': value }, ms < 300_000 ? 30_000 : 0)
  expect(logged[0]!.retryInMs).toBeGreaterThanOrEqual(ms)
  expect(logged[0]!.retryInMs).toBeLessThanOrEqual(Math.max(ms, 500))
})

test('a signal ends the pause between two attempts', async () => {
  const stop = new AbortController()
  const log = { ...pino({ level: 'silent' }), warn: () => stop.abort() }
  const receiver = { url: 'http://127.0.0.1:1', sign: () => ({}), timeoutMs: 5000, budgetMs: 600_000, log }
  await expect(deliver(message, receiver as never, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})
