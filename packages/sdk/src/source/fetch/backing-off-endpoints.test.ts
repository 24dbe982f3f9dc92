import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EndpointFailure } from './endpoint-failure.ts'
import { createEndpoints, type Endpoints } from './endpoints.ts'

const pauseMs = 1000
class PauseRequested extends Error {}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Opened {
  readonly endpoints: Endpoints<{ answer(): Promise<string> }>
  /** Time in ms by which the clock advances at each reading. */
  moveOn(ms: number): void
  /** The endpoint's answer. Default: it asks for a pause. */
  answer(how: () => Promise<string>): void
}

function openOne(): Opened {
  let [aheadMs, perReadingMs] = [0, 0]
  const client = { answer: (): Promise<string> => Promise.reject(new PauseRequested()) }
  const endpoints = createEndpoints({
    endpoints: [{ name: 'one', client }],
    judge: (error): EndpointFailure =>
      error instanceof PauseRequested ? { kind: 'overloaded', retryAfterMs: pauseMs } : { kind: 'final' },
    log: pino({ level: 'silent' }),
    limits: { first: 2, most: 2 },
    now() {
      aheadMs += perReadingMs
      return performance.now() + aheadMs
    },
  })
  return {
    endpoints,
    moveOn: (ms) => {
      perReadingMs = ms
    },
    answer: (how) => {
      client.answer = how
    },
  }
}

type Call = (endpoints: Opened['endpoints']) => Promise<unknown>
const signal = new AbortController().signal
const send = (client: { answer(): Promise<string> }) => client.answer()

const calls: [string, Call][] = [
  ['a request', (endpoints) => endpoints.request({ what: 'a block', send, signal })],
  [
    'requestEach',
    async (endpoints) => {
      const [reply] = await endpoints.requestEach({ send, signal })
      return reply?.kind === 'answered' ? reply.answer : reply
    },
  ],
  [
    'requestEach with untilAnswered',
    async (endpoints) => {
      const [reply] = await endpoints.requestEach({ send, signal, untilAnswered: true })
      return reply?.kind === 'answered' ? reply.answer : reply
    },
  ],
]

/** Returns the result of a call if it ends within eleven times the requested pause. */
async function within(result: Promise<unknown>): Promise<unknown> {
  const settled = vi.fn()
  void result.then(settled, settled)
  await vi.advanceTimersByTimeAsync(11 * pauseMs)
  return settled.mock.calls[0]?.[0] ?? 'still waiting'
}

describe.each(calls)('%s', (_, call) => {
  // The back-off ends between any two consecutive readings of the clock.
  test.each(Array.from({ length: 16 }, (_, readings) => readings + 0.5))(
    'ends if the back-off ends after %d readings of the clock',
    async (readings) => {
      const { endpoints, moveOn, answer } = openOne()
      await endpoints.requestEach({ send, signal })
      answer(async () => 'back')
      const perReadingMs = 4
      await vi.advanceTimersByTimeAsync(pauseMs - readings * perReadingMs)
      moveOn(perReadingMs)
      expect(await within(call(endpoints))).toBe('back')
    },
  )

  test('waits for the end of a pause that was requested while another request was answered', async () => {
    const { endpoints, answer } = openOne()
    const held = Promise.withResolvers<string>()
    answer(() => held.promise)
    const answered = endpoints.request({ what: 'a page', send, signal })
    answer(() => Promise.reject(new PauseRequested()))
    await endpoints.requestEach({ send, signal })
    held.resolve('late')
    expect(await answered).toBe('late')
    answer(async () => 'back')
    expect(await within(call(endpoints))).toBe('back')
  })
})

test('a pause that an endpoint requests in one of several calls begins before the request ends', async () => {
  const { endpoints, answer } = openOne()
  let count = 0
  answer(async () => `answer ${++count}`)
  const request = endpoints.request({
    what: 'a block and its count',
    async send(client) {
      endpoints.notePause(client, new Error('not a pause'))
      expect(endpoints.health()).toMatchObject([{ state: 'serving' }])
      endpoints.notePause(client, new PauseRequested())
      return client.answer()
    },
    signal,
  })
  const other = endpoints.request({ what: 'a block', send, signal })
  await vi.advanceTimersByTimeAsync(pauseMs - 1)
  expect([await request, count]).toEqual(['answer 1', 1])
  await vi.advanceTimersByTimeAsync(1)
  expect(await other).toBe('answer 2')
})
