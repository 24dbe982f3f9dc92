import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createEndpoints } from './endpoints.ts'

const signal = new AbortController().signal

/** Two endpoints that answer with their names, and a clock that the test controls. */
function openTwo() {
  const logged: string[] = []
  const [one, two] = ['one', 'two'].map((name) => ({ name, answer: async () => name }))
  let time = 0
  const endpoints = createEndpoints({
    endpoints: [one!, two!].map((client) => ({ name: client.name, client })),
    judge: () => ({ kind: 'final' }),
    log: pino({}, { write: (line: string) => logged.push(line) }),
    limits: { first: 2, most: 2 },
    now: () => time,
  })
  const send = (client: { answer(): Promise<string> }) => client.answer()
  return {
    ...{ endpoints, logged, one: one! },
    pass(ms: number) {
      time += ms
    },
    ask: (avoid?: typeof one) => endpoints.request({ what: 'a block', send, signal, avoid }),
    askEach: (untilAnswered: boolean) => endpoints.requestEach({ send, signal, untilAnswered }),
  }
}

test('an endpoint to avoid gets a request only if no other one has capacity', async () => {
  const { ask, one } = openTwo()
  expect(await Promise.all([ask(one), ask(one), ask(one)])).toEqual(['two', 'two', 'one'])
})

test('an endpoint whose answer was rejected is avoided, longer each time in a row', async () => {
  const { endpoints, one, ask, askEach, pass, logged } = openTwo()
  for (const avoidedMs of [500, 1000, 2000]) {
    endpoints.reject(one, new Error('too short'))
    endpoints.reject(one, new Error('too short'))
    pass(avoidedMs - 1)
    expect(await ask()).toBe('two')
    expect(await askEach(true)).toMatchObject([{ endpoint: 'two' }])
    expect(await askEach(false)).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }])
    pass(1)
    expect(await ask()).toBe('one')
  }
  expect(logged.filter((line) => line.includes('too short'))).toHaveLength(3)
})
