import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createUsageMeter } from './usage-meter.ts'

function fakeSocket() {
  return { bytesWritten: 0 } as Socket & { bytesWritten: number }
}

test('a stream counts for its key whenever it is settled, each record, byte and second once', () => {
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

test('answers on one connection count for whoever asked, and those without a key for nobody', () => {
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

test('another hour begins with nothing, and what was sent since the beginning stays', () => {
  const meter = createUsageMeter()
  meter.countRecords('key', 5)
  meter.clear()
  expect([...meter.keys()]).toEqual([])
  expect(meter.sent.rest.records).toBe(5)
})
