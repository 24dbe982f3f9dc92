import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EndpointFailure } from './endpoint-failure.ts'
import { createEndpoints, type Endpoints } from './endpoints.ts'

class Failure extends Error {
  readonly failure: EndpointFailure

  constructor(failure: EndpointFailure) {
    super(failure.kind)
    this.failure = failure
  }
}

/** A test endpoint. It answers with its name by default. */
interface Client {
  readonly name: string
  asked: number
  answer: (signal: AbortSignal) => Promise<string> | string
}

const never = new AbortController().signal
let logged: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  logged = []
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Advances time until promises settle. Returns their values, or the messages of their errors. */
async function outcomes(promises: readonly Promise<string>[]): Promise<string[]> {
  let settled: string[] | undefined
  const texts = promises.map((promise) => promise.catch((error: unknown) => `failed: ${(error as Error)?.message}`))
  void Promise.all(texts).then((all) => {
    settled = all
  })
  for (let seconds = 0; !settled && seconds < 4000; seconds++) await pass(1000)
  return settled ?? ['still waiting']
}

const outcome = async (promise: Promise<string>) => (await outcomes([promise]))[0]

function open(names: readonly string[]): { clients: readonly Client[]; endpoints: Endpoints<Client> } {
  const clients = names.map((name): Client => ({ name, asked: 0, answer: () => name }))
  const endpoints = createEndpoints<Client>({
    endpoints: clients.map((client) => ({ name: client.name, client })),
    judge: (error) => (error instanceof Failure ? error.failure : { kind: 'final' }),
    log: pino({}, { write: (line: string) => logged.push(line) }),
    limits: { first: 2, most: 2 },
    attempts: 4,
  })
  return { clients, endpoints }
}

const ask = (endpoints: Endpoints<Client>, signal = never) =>
  endpoints.request({
    what: 'a block',
    signal,
    send,
  })

const askEach = (endpoints: Endpoints<Client>, untilAnswered = false) =>
  endpoints.requestEach({ send, signal: never, untilAnswered })

async function send(client: Client, signal: AbortSignal): Promise<string> {
  client.asked++
  return client.answer(signal)
}

const fails = (failure: EndpointFailure) => () => {
  throw new Failure(failure)
}
const failsTimes = (times: number, failure: EndpointFailure, name: string) => () => {
  if (times-- > 0) throw new Failure(failure)
  return name
}

describe('a request', () => {
  test('goes to the first endpoint with capacity', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    const held = Promise.withResolvers<string>()
    clients[0]!.answer = () => held.promise
    const first = [ask(endpoints), ask(endpoints)]
    expect(await ask(endpoints)).toBe('two')
    held.resolve('one')
    expect(await Promise.all(first)).toEqual(['one', 'one'])
    expect(await ask(endpoints)).toBe('one')
  })

  test('waits while no endpoint has capacity', async () => {
    const { clients, endpoints } = open(['one'])
    const held = Promise.withResolvers<string>()
    clients[0]!.answer = () => held.promise
    const all = [ask(endpoints), ask(endpoints), ask(endpoints)]
    await new Promise(setImmediate)
    expect(clients[0]!.asked).toBe(2)
    held.resolve('answer')
    expect(await Promise.all(all)).toEqual(['answer', 'answer', 'answer'])
  })

  test.each<EndpointFailure>([
    { kind: 'unavailable' },
    { kind: 'overloaded', retryAfterMs: 60_000 },
    { kind: 'wrong' },
    { kind: 'refused' },
  ])('goes to another endpoint immediately after $kind', async (failure) => {
    const { clients, endpoints } = open(['one', 'two'])
    clients[0]!.answer = fails(failure)
    expect(await ask(endpoints)).toBe('two')
    expect(endpoints.health()[0]!.failures[failure.kind as 'wrong']).toBe(1)
    expect(logged.join('')).toContain('"endpoint":"one"')
  })

  test('is repeated at the same endpoint if it is the only one', async () => {
    const { clients, endpoints } = open(['one'])
    clients[0]!.answer = failsTimes(3, { kind: 'wrong' }, 'at last')
    expect(await outcome(ask(endpoints))).toBe('at last')
    expect(clients[0]!.asked).toBe(4)
  })

  test('fails when every endpoint has used all its attempts', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    for (const client of clients) client.answer = fails({ kind: 'wrong' })
    expect(await outcome(ask(endpoints))).toBe('failed: wrong')
    expect(clients.map(({ asked }) => asked)).toEqual([4, 4])
  })

  test('throws a final error immediately', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    clients[0]!.answer = () => {
      throw new TypeError('a bug')
    }
    await expect(ask(endpoints)).rejects.toThrow('a bug')
    expect(clients[1]!.asked).toBe(0)
  })

  test('throws the refusal when every endpoint refuses, and again later', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    for (const client of clients) client.answer = fails({ kind: 'refused' })
    await expect(ask(endpoints)).rejects.toThrow('refused')
    await expect(ask(endpoints)).rejects.toThrow('refused')
    expect(clients.map(({ asked }) => asked)).toEqual([1, 1])
    expect(endpoints.width).toBe(0)
  })

  test.each([
    ['while it runs', 0],
    ['while it waits', 2],
  ])('ends when it is aborted %s', async (_, others) => {
    const { clients, endpoints } = open(['one'])
    clients[0]!.answer = (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Failure({ kind: 'unavailable' }))))
    for (let count = 0; count < others; count++) void ask(endpoints)
    const stop = new AbortController()
    const aborted = ask(endpoints, stop.signal)
    await pass(0)
    expect(clients[0]!.asked).toBe(others || 1)
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    expect(endpoints.health()[0]).toMatchObject({ state: 'serving', running: others })
  })

  test('ends when it is aborted while it pauses', async () => {
    const { clients, endpoints } = open(['one'])
    clients[0]!.answer = fails({ kind: 'wrong' })
    const stop = new AbortController()
    const aborted = ask(endpoints, stop.signal)
    await pass(0)
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    expect(clients[0]!.asked).toBe(1)
  })

  test('throws the failure of the last serving endpoint, not the refusal of another', async () => {
    const { clients, endpoints } = open(['refuses', 'dead'])
    clients[0]!.answer = fails({ kind: 'refused' })
    await ask(endpoints)
    clients[1]!.answer = () => new Promise((_, reject) => setTimeout(reject, 10, new Failure({ kind: 'unavailable' })))
    const requests = Array.from({ length: 8 }, () => ask(endpoints))
    expect(await outcomes(requests)).toEqual(Array(8).fill('failed: unavailable'))
  })

  test('that an endpoint postpones is repeated later while others are answered', async () => {
    const { endpoints } = open(['one'])
    let refusals = 0
    const hold = endpoints.request({
      ...{ what: 'a page', signal: never },
      send: async () => {
        if (++refusals > 20) return 'at last'
        throw new Failure({ kind: 'overloaded', retryAfterMs: 1000 })
      },
    })
    const others = setInterval(() => void ask(endpoints).catch(() => {}), 10)
    expect(await outcome(hold)).toBe('at last')
    clearInterval(others)
  })

  test.each<EndpointFailure>([{ kind: 'overloaded' }, { kind: 'unavailable' }])(
    'fails if it alone is always answered with $kind',
    async (failure) => {
      const { endpoints } = open(['one'])
      let asked = 0
      const page = endpoints.request({
        ...{ what: 'a page', signal: never },
        send: async () => {
          asked++
          throw new Failure(failure)
        },
      })
      const others = setInterval(() => void ask(endpoints).catch(() => {}), 10)
      expect(await outcome(page)).toBe(`failed: ${failure.kind}`)
      clearInterval(others)
      expect(asked).toBe(4)
    },
  )
})

describe('requestEach', () => {
  test('returns the reply of each endpoint, in their order', async () => {
    const { clients, endpoints } = open(['one', 'two', 'three', 'four', 'five'])
    const held = Promise.withResolvers<string>()
    clients[0]!.answer = () => held.promise
    clients[1]!.answer = fails({ kind: 'wrong' })
    clients[2]!.answer = fails({ kind: 'unavailable' })
    clients[3]!.answer = fails({ kind: 'refused' })
    const replies = askEach(endpoints)
    held.resolve('one')
    expect(await replies).toEqual([
      { endpoint: 'one', kind: 'answered', answer: 'one' },
      { endpoint: 'two', kind: 'wrong', error: expect.objectContaining({ message: 'wrong' }) },
      { endpoint: 'three', kind: 'silent', error: expect.objectContaining({ message: 'unavailable' }) },
      { endpoint: 'five', kind: 'answered', answer: 'five' },
    ])
  })

  test('with untilAnswered sends no request after the first answer', async () => {
    const { clients, endpoints } = open(['one', 'two', 'three'])
    clients[0]!.answer = fails({ kind: 'wrong' })
    const replies = await askEach(endpoints, true)
    expect(replies.map(({ endpoint, kind }) => [endpoint, kind])).toEqual([
      ['one', 'wrong'],
      ['two', 'answered'],
    ])
    expect(clients.map(({ asked }) => asked)).toEqual([1, 1, 0])
  })

  test('does not wait for endpoints that are backing off or recovering', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    clients[0]!.answer = fails({ kind: 'unavailable' })
    await ask(endpoints)
    expect((await askEach(endpoints)).map(({ kind }) => kind)).toEqual(['silent', 'answered'])
    await pass(500)
    clients[0]!.answer = () => new Promise(() => {})
    void ask(endpoints)
    expect((await askEach(endpoints)).map(({ kind }) => kind)).toEqual(['silent', 'answered'])
    expect(clients.map(({ asked }) => asked)).toEqual([2, 3])
  })

  test('does not wait for one that is backing off, even if another request was answered since', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    const held = Promise.withResolvers<string>()
    clients[0]!.answer = () => held.promise
    const answered = ask(endpoints)
    clients[0]!.answer = fails({ kind: 'overloaded', retryAfterMs: 30_000 })
    await ask(endpoints)
    held.resolve('one')
    expect(await answered).toBe('one')
    expect(await askEach(endpoints)).toMatchObject([{ kind: 'silent' }, { kind: 'answered', answer: 'two' }])
  })

  test('waits for an endpoint at its limit', async () => {
    const { clients, endpoints } = open(['one'])
    const held = Promise.withResolvers<string>()
    clients[0]!.answer = () => held.promise
    const busy = [ask(endpoints), ask(endpoints)]
    const replies = askEach(endpoints)
    held.resolve('one')
    await Promise.all(busy)
    expect(await replies).toEqual([{ endpoint: 'one', kind: 'answered', answer: 'one' }])
  })

  test('waits for the first endpoint to recover if all are backing off, but not for long pauses', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    for (const client of clients) client.answer = fails({ kind: 'overloaded', retryAfterMs: 10_000 })
    await askEach(endpoints)
    clients[0]!.answer = () => 'one'
    const replies = askEach(endpoints)
    await pass(10_000)
    expect((await replies)[0]).toMatchObject({ kind: 'answered' })
    for (const client of clients) client.answer = fails({ kind: 'overloaded', retryAfterMs: 1_000_000 })
    await askEach(endpoints)
    await pass(10_000)
    await askEach(endpoints)
    expect((await askEach(endpoints)).map(({ kind }) => kind)).toEqual(['silent', 'silent'])
  })

  test('throws the refusal if all endpoints refuse, and any final error', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    clients[1]!.answer = () => {
      throw new TypeError('a bug')
    }
    await expect(askEach(endpoints)).rejects.toThrow('a bug')
    for (const client of clients) client.answer = fails({ kind: 'refused' })
    await expect(askEach(endpoints)).rejects.toThrow('refused')
    await expect(askEach(endpoints, true)).rejects.toThrow('refused')
    expect(clients.map(({ asked }) => asked)).toEqual([2, 2])
  })
})

describe('an endpoint', () => {
  test('that is unavailable gets no request for a growing back-off, and then one test request', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    const [one] = clients
    one!.answer = fails({ kind: 'unavailable' })
    await ask(endpoints)
    expect(endpoints.health()[0]).toMatchObject({ state: 'backing_off' })
    await ask(endpoints)
    expect(one!.asked).toBe(1)
    await pass(500)
    await ask(endpoints)
    expect(one!.asked).toBe(2)
    await pass(500)
    await ask(endpoints)
    expect(one!.asked).toBe(2)
    await pass(500)
    const held = Promise.withResolvers<string>()
    one!.answer = () => held.promise
    const trial = ask(endpoints)
    expect(await ask(endpoints)).toBe('two')
    held.resolve('back')
    expect(await trial).toBe('back')
    expect(await Promise.all([ask(endpoints), ask(endpoints)])).toEqual(['back', 'back'])
  })

  test('that requests a pause gets no request before its end', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    clients[0]!.answer = failsTimes(1, { kind: 'overloaded', retryAfterMs: 30_000 }, 'one')
    await ask(endpoints)
    await pass(29_000)
    expect(await ask(endpoints)).toBe('two')
    await pass(1000)
    expect(await ask(endpoints)).toBe('one')
  })

  test('that is unavailable fails any number of waiting requests together', async () => {
    const durations: number[] = []
    for (const count of [1, 32]) {
      const { clients, endpoints } = open(['one'])
      clients[0]!.answer = fails({ kind: 'unavailable' })
      const start = performance.now()
      const requests = Array.from({ length: count }, () => ask(endpoints))
      expect(await outcomes(requests)).toEqual(Array(count).fill('failed: unavailable'))
      durations.push(performance.now() - start)
      expect(endpoints.health()[0]).toMatchObject({ backOffs: 4 })
      // A later request detects that with one attempt.
      const { asked } = clients[0]!
      expect(await outcome(ask(endpoints))).toBe('failed: unavailable')
      expect(clients[0]!.asked).toBe(asked + 1)
    }
    expect(durations[1]).toBeLessThanOrEqual(durations[0]! + 5000)
  })

  test('that fails all requests under way has failed once', async () => {
    const { clients, endpoints } = open(['one', 'two'])
    const failures: (() => void)[] = []
    clients[0]!.answer = () =>
      new Promise((_, reject) => failures.push(() => reject(new Failure({ kind: 'unavailable' }))))
    const both = [ask(endpoints), ask(endpoints)]
    await pass(0)
    failures[0]!()
    await pass(600)
    failures[1]!()
    expect(await Promise.all(both)).toEqual(['two', 'two'])
    expect(endpoints.health()[0]).toMatchObject({ backOffs: 1 })
  })

  test('that requests a very long pause fails the requests instead of delaying them', async () => {
    const { clients, endpoints } = open(['one'])
    clients[0]!.answer = fails({ kind: 'overloaded', retryAfterMs: 3_000_000 })
    const start = performance.now()
    expect(await outcome(ask(endpoints))).toBe('failed: overloaded')
    expect(await outcome(ask(endpoints))).toBe('failed: overloaded')
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(clients[0]!.asked).toBe(1)
  })

  test('has a unique name, even if several are given the same', () => {
    const { endpoints } = open(['node', 'other', 'node'])
    expect(endpoints.health().map(({ name }) => name)).toEqual(['node (1)', 'other', 'node (3)'])
  })
})
