import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { monthOf } from './month.ts'
import { createUsageMeter } from './usage-meter.ts'

function fakeSocket() {
  return { bytesWritten: 0 } as Socket & { bytesWritten: number }
}

test('each settle adds the records, bytes and seconds of a stream once', () => {
  let now = 0
  const meter = createUsageMeter(() => now)
  const socket = fakeSocket()
  const stream = meter.openStream('key', { protocol: 'websocket', socket })
  Object.assign(socket, { bytesWritten: 100 })
  stream.records += 3
  now = 1500
  meter.settle()
  expect(meter.of('key')).toEqual({ requests: 0, refused: 0, records: 3, bytes: 100, connectionSeconds: 1.5 })
  meter.settle()
  Object.assign(socket, { bytesWritten: 150 })
  stream.records++
  now = 4000
  stream.close()
  meter.settle()
  expect(meter.of('key')).toEqual({ requests: 0, refused: 0, records: 4, bytes: 150, connectionSeconds: 4 })
  expect(meter.sent.websocket).toEqual({ records: 4, bytes: 150 })
  expect([...meter.streams()]).toEqual([])
})

test('responses on one connection count for the key of their request, or for no key', () => {
  const meter = createUsageMeter()
  const socket = fakeSocket()
  for (const [bytesWritten, key] of [
    [100, 'one'],
    [130, undefined],
    [200, 'two'],
    [201, 'one'],
  ] as const) {
    Object.assign(socket, { bytesWritten })
    meter.countResponse(socket, key)
  }
  expect([meter.of('one').bytes, meter.of('two').bytes, meter.sent.rest.bytes]).toEqual([101, 70, 201])
})

test('a new hour starts with zero counts, and a new month with zero counts of the month', () => {
  const meter = createUsageMeter()
  const { end } = monthOf(Date.now())
  meter.countRecords('key', 5)
  meter.beginHour(end - 3_600_000)
  expect([...meter.keys()]).toEqual([])
  meter.countRecords('key', 2)
  expect([meter.inMonth('key').records, meter.inMonth('other').records]).toEqual([7, 0])
  meter.beginHour(end)
  expect(meter.inMonth('key').records).toBe(0)
  expect(meter.sent.rest.records).toBe(7)
})
