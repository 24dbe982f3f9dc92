import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemTopics, systemTopics } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followMonthOfOthers, type MonthCounts } from './month-of-others.ts'
import { encodeUsage, encodeUsageKey, noUsage } from './usage-record.ts'

const log = pino({ enabled: false })

async function openUsage() {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-month-'))
  const queue = await openQueue(`embedded:${folder}`)
  const stop = new AbortController()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-10-31T23:30:00Z') })
  onTestFinished(async () => {
    vi.useRealTimers()
    stop.abort()
    await queue.close()
    await rm(folder, { recursive: true })
  })
  await createSystemTopics(queue)
  const write = async (keyId: string, hour: string, gateway: string, requests: number) => {
    const key = encodeUsageKey({ keyId, hour: Date.parse(hour), gateway })
    const value = encodeUsage({ ...noUsage(), requests, records: 2 * requests })
    await queue.append([{ topic: systemTopics.usage, key, value, time: Date.now() }])
  }
  const month = followMonthOfOthers({ queue, gateway: 'own', log, signal: stop.signal })
  return { write, month }
}

test('the usage of other gateways in the current month is read at the first call for a key, and then followed', async () => {
  const { write, month } = await openUsage()
  await write('a', '2026-10-31T23:00:00Z', 'one', 1000)
  vi.setSystemTime(Date.parse('2026-11-01T01:30:00Z'))
  await write('a', '2026-11-01T00:00:00Z', 'one', 1)
  await write('a', '2026-11-01T00:00:00Z', 'one', 3)
  await write('a', '2026-11-01T01:00:00Z', 'one', 10)
  await write('a', '2026-11-01T01:00:00Z', 'two', 100)
  await write('a', '2026-11-01T01:00:00Z', 'own', 5000)
  await write('b', '2026-11-01T01:00:00Z', 'two', 7)
  const both = [month.of('a'), month.of('b')] as Promise<MonthCounts>[]
  expect(await Promise.all(both)).toEqual([
    { requests: 113, records: 226, bytes: 0 },
    { requests: 7, records: 14, bytes: 0 },
  ])
  await write('a', '2026-11-01T01:00:00Z', 'two', 101)
  await write('a', '2026-11-01T02:00:00Z', 'one', 20)
  await expect.poll(() => (month.of('a') as MonthCounts).requests).toBe(3 + 10 + 20 + 101)
  // Another gateway may be a moment ahead.
  await write('a', '2026-12-01T00:00:00Z', 'two', 2)
  vi.setSystemTime(Date.parse('2026-12-01T00:00:01Z'))
  await expect.poll(() => (month.of('a') as MonthCounts).requests).toBe(2)
})
