import { on } from 'node:events'

export interface BlockRecord {
  readonly time: string
  readonly value: { readonly Number: string; readonly Hash: string; readonly TransactionCount: number }
}

export interface BlockStreamOptions {
  readonly gatewayUrl: string
  readonly key: string
  readonly topic: string
  readonly signal: AbortSignal
}

/** Reads blocks from the first on, then as they arrive, over the gateway's WebSocket. */
export async function* streamBlocks({
  gatewayUrl,
  key,
  topic,
  signal,
}: BlockStreamOptions): AsyncGenerator<BlockRecord> {
  const socket = new WebSocket(`${gatewayUrl.replace(/^http/, 'ws')}/ws/v1?api_key=${key}`)
  const ended = new AbortController()
  socket.addEventListener('close', ({ code }) => ended.abort(new Error(`The gateway closed the WebSocket (${code}).`)))
  socket.addEventListener('error', () => ended.abort(new Error('The WebSocket could not be opened.')))
  socket.addEventListener('open', () => {
    const params = { topics: [topic], from: 'earliest' }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  })
  try {
    const messages = on(socket, 'message', { signal: AbortSignal.any([signal, ended.signal]) })
    for await (const [{ data }] of messages) {
      const { error, method, params } = JSON.parse(data)
      if (error) throw new Error(`The gateway refused the subscription: ${error.message}`)
      if (method === 'subscription') yield params
    }
  } catch (error) {
    if (signal.aborted) return
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    socket.close()
  }
}
