import type { NewRecord, Queue } from '@headrace/queue'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limits } from '../options/limits.ts'
import { createUsageMeter } from './usage-meter.ts'
import { writeUsage } from './write-usage.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-08-21T10:59:45Z') }))
afterEach(() => void vi.useRealTimers())

/** A queue that keeps appended records, and fails a given number of times. */
function keepingQueue() {
  const written: [hour: string, value: { readonly requests: number }][] = []
  const gateways = new Set<string>()
  const times: number[] = []
  const state = { failures: 0 }
  const append = async (records: readonly NewRecord[]) => {
    if (state.failures-- > 0) throw new Error('away')
    for (const { key, value, time } of records) {
      const [, hour, gateway] = Buffer.from(key!).toString().split('/')
      gateways.add(gateway!)
      times.push(time)
      written.push([hour!, JSON.parse(Buffer.from(value!).toString())])
    }
  }
  return { written, gateways, times, state, queue: { append } as unknown as Queue }
}

function startWriting({ queue }: { readonly queue: Queue }) {
  const meter = createUsageMeter()
  const times = { ...limits, usageMs: 10_000, drainMs: 1000 }
  const stop = writeUsage({ queue, usage: meter, limits: times, log: pino({ enabled: false }), gateway: 'one' })
  return { meter, stop }
}

test('counts are written for their hour, also at its end, and the next hour starts with zero', async () => {
  const kept = keepingQueue()
  const { meter, stop } = startWriting(kept)
  meter.of('one').requests = 3
  await vi.advanceTimersByTimeAsync(10_000)
  meter.of('one').requests++
  await vi.advanceTimersByTimeAsync(5000)
  expect(new Date().toISOString()).toBe('2026-08-21T11:00:00.000Z')
  meter.of('one').requests++
  await vi.advanceTimersByTimeAsync(10_000)
  expect(kept.written).toMatchObject([
    ['2026-08-21T10:00:00Z', { requests: 3 }],
    ['2026-08-21T10:00:00Z', { requests: 4 }],
    ['2026-08-21T11:00:00Z', { requests: 1 }],
  ])
  expect([...kept.gateways]).toEqual(['one'])
  await stop()
})

test('unchanged counts are not written again', async () => {
  const kept = keepingQueue()
  const { meter, stop } = startWriting(kept)
  meter.of('one').requests = 1
  await vi.advanceTimersByTimeAsync(300_000)
  await stop()
  expect(kept.written).toHaveLength(1)
})

test('counts that could not be written within their hour are written for it later', async () => {
  const kept = keepingQueue()
  const { meter, stop } = startWriting(kept)
  kept.state.failures = 3
  meter.of('one').requests = 3
  await vi.advanceTimersByTimeAsync(15_000)
  meter.of('one').requests = 1
  await vi.advanceTimersByTimeAsync(20_000)
  await stop()
  expect(kept.written).toMatchObject([
    ['2026-08-21T10:00:00Z', { requests: 3 }],
    ['2026-08-21T11:00:00Z', { requests: 1 }],
  ])
})

test('a delayed record has the time of its write', async () => {
  const kept = keepingQueue()
  const { meter, stop } = startWriting(kept)
  kept.state.failures = 360
  meter.of('one').requests = 3
  await vi.advanceTimersByTimeAsync(3_700_000)
  await stop()
  expect(kept.written).toMatchObject([['2026-08-21T10:00:00Z', { requests: 3 }]])
  const [time] = kept.times
  expect(time).toBeGreaterThan(Date.parse('2026-08-21T11:59:00Z'))
})

test('a stopped writer writes the remaining counts, and nothing after them', async () => {
  const kept = keepingQueue()
  const { meter, stop } = startWriting(kept)
  meter.of('one').requests = 2
  await stop()
  meter.of('one').requests = 9
  await vi.advanceTimersByTimeAsync(60_000)
  expect(kept.written).toMatchObject([['2026-08-21T10:00:00Z', { requests: 2 }]])
})

test('an hour ends in time while a write is slow', async () => {
  const kept = keepingQueue()
  const answers: (() => void)[] = []
  const append: Queue['append'] = async (records) => {
    if (answers.length === 0) await new Promise<void>((resolve) => answers.push(resolve))
    await kept.queue.append(records)
  }
  const { meter, stop } = startWriting({ queue: { append } as Queue })
  meter.of('one').requests = 1
  await vi.advanceTimersByTimeAsync(15_000)
  meter.of('one').requests = 5
  await vi.advanceTimersByTimeAsync(30_000)
  expect(kept.written).toEqual([])
  answers[0]!()
  await vi.advanceTimersByTimeAsync(10_000)
  await stop()
  expect(kept.written).toMatchObject([
    ['2026-08-21T10:00:00Z', { requests: 1 }],
    ['2026-08-21T11:00:00Z', { requests: 5 }],
  ])
})
