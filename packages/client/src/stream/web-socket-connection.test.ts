import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Service } from '../service/service.ts'
import { connectWebSocket } from './web-socket-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const credential = { value: 'hr_test_key', renewAt: Number.POSITIVE_INFINITY }

test('the connection ends if a subscription after a pause is not answered', async () => {
  const socket = fakeSocket()
  const service = { openSocket: () => socket } as unknown as Service
  const places = new Map([['a.b', 'AQ']])
  const connecting = connectWebSocket({
    ...{ service, credential, places, select: {}, onGap: 'error', bufferSize: 10, signal: undefined },
  })
  socket.onopen()
  await vi.waitUntil(() => socket.sent.length === 1)
  socket.answers({ topics: [{ topic: 'a.b', cursor: 'AQ' }], heartbeatMs: 15_000 })
  const connection = await connecting
  socket.receives({ method: 'subscription', params: { topic: 'a.b', seq: '0', cursor: 'AQA' } })
  await vi.waitUntil(() => socket.sent.length === 2)
  socket.answers({ topics: [{ topic: 'a.b', cursor: 'AQA' }] })
  expect(await connection.take()).toHaveLength(1)
  const next = connection.take()
  next.catch(() => {})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(socket.sent).toEqual(['subscribe', 'unsubscribe', 'subscribe'])
  expect(socket.close).toHaveBeenCalled()
  await expect(next).rejects.toThrow('The gateway sent nothing for too long.')
})

/** A socket that only the test sends to. */
function fakeSocket() {
  let lastId = 0
  const sent: string[] = []
  const receives = (message: object) => socket.onmessage({ data: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  const socket = {
    /** The methods that were called. */
    sent,
    onopen() {},
    onmessage(_: { data: string }) {},
    close: vi.fn(),
    send(text: string) {
      const { id, method } = JSON.parse(text)
      lastId = id
      sent.push(method)
    },
    receives,
    answers: (result: object) => receives({ id: lastId, result }),
  }
  return socket
}
