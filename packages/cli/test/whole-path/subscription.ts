import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A WebSocket client that returns one message per call. */
export interface Subscription extends AsyncDisposable {
  send(request: { id: number; method: string; params: object }): void
  /** The next message, except for progress. */
  next(): Promise<unknown>
}

export async function openSubscription(url: string): Promise<Subscription> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  const received: unknown[] = []
  let wake = () => {}
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.method === 'progress') return
    received.push(message)
    wake()
  })
  await once(socket, 'open')
  return {
    send: (request) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...request })),
    async next() {
      while (received.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return received.shift()
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
