/** `ws` alone: each message is sent to one client after the other. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { serveCalls } from '../program.ts'

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
await once(server, 'listening')
serveCalls({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  async send({ text, count }: { text: string; count: number }) {
    for (let n = 0; n < count; n++) {
      for (const client of server.clients) client.send(text)
      await nextTurn()
    }
  },
})
