import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { frameText } from './transport.ts'

test('a text of any length is one valid frame', async () => {
  const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]
  const upgrades = new WebSocketServer({ noServer: true })
  const server = createServer().on('upgrade', (request, socket: Socket, head) =>
    upgrades.handleUpgrade(request, socket, head, () => {
      for (const length of lengths) {
        const text = Buffer.alloc(length, 'x')
        socket.write(frameText([text.subarray(0, length >> 1), text.subarray(length >> 1)]))
      }
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const received: string[] = []
  await new Promise<void>((resolve, reject) => {
    client.on('error', reject).on('message', (data) => {
      received.push(data.toString())
      if (received.length === lengths.length) resolve()
    })
  })
  expect(received).toEqual(lengths.map((length) => 'x'.repeat(length)))
  client.terminate()
  server.close()
})
