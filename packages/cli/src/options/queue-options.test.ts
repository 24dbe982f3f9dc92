import { expect, onTestFinished, test, vi } from 'vitest'
import { announceConnecting } from './queue-options.ts'

function waitFor(url: string) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const notes: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const waited = announceConnecting(url, (text) => notes.push(text), promise)
  return { notes, resolve, reject, waited }
}

test('a connection to a Kafka that does not answer is announced once, with its time limit', async () => {
  const { notes, resolve, waited } = waitFor('kafka://a:1,b:2')
  vi.advanceTimersByTime(30_000)
  expect(notes).toEqual(['Connecting to kafka://a:1,b:2 (gives up after 45 s)…'])
  resolve('connected')
  expect(await waited).toBe('connected')
})

test('a connection to a Kafka that answers or refuses quickly is not announced', async () => {
  const answers = waitFor('kafka://a:1')
  answers.resolve('connected')
  await answers.waited
  const refuses = waitFor('kafka://a:1')
  refuses.reject(new Error('refused'))
  await expect(refuses.waited).rejects.toThrow('refused')
  vi.advanceTimersByTime(30_000)
  expect([...answers.notes, ...refuses.notes]).toEqual([])
})

test('the opening of an embedded queue is not announced', () => {
  const { notes } = waitFor('embedded:.headrace')
  vi.advanceTimersByTime(30_000)
  expect(notes).toEqual([])
})
