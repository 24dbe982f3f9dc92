import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createClient, type RetryNotice } from '@headrace/client'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { errorOf } from './reading.ts'

const topic = 'acme.shop.1_0_0.shop_Order'

test('a gateway that accepts connections and closes them is retried with growing backoff for retryForMs', async () => {
  await using service = await openClosingService()
  const notices: RetryNotice[] = []
  const client = createClient({
    ...{ url: service.url, apiKey: 'hr_test_key', transport: 'websocket', retryForMs: 1500 },
    onRetry: (notice) => void notices.push(notice),
  })
  expect(await errorOf(client.subscribe({ topics: [topic] }))).toMatchObject({ name: 'UnavailableError' })
  expect(notices.map(({ attempt }) => attempt)).toEqual(Array.from(notices, (_, n) => n + 1))
})

/** Accepts each subscription, sends its progress, and ends it, like a gateway whose queue does not answer. */
async function openClosingService() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { id } = JSON.parse(data.toString())
      const cursor = 'AQAA'
      const result = { topics: [{ topic, cursor }], heartbeatMs: 15_000 }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
      const params = { cursors: { [topic]: cursor }, units: {} }
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'progress', params }))
      socket.close(1013, 'The topic cannot be read at this moment.')
    }),
  )
  await once(server, 'listening')
  const close = async () => {
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close }
}
