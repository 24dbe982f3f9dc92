import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'
import type { ProblemJson, RecordJson, RpcMessage } from './shapes.ts'

/** A WebSocket client that keeps its messages in order. */
export interface JsonRpcClient extends Disposable {
  readonly ws: WebSocket
  readonly messages: readonly RpcMessage[]
  /** Sends a request and waits for its answer. */
  call(method: string, params?: unknown): Promise<RpcMessage>
  /** Waits for `count` notifications of a method, and returns their params. */
  notifications<T = RecordJson>(method: string, count: number): Promise<T[]>
  /** Sends a text unchanged and waits for the next message. */
  raw(text: string): Promise<RpcMessage>
  closed: Promise<{ code: number; reason: string }>
}

const deadlineMs = 20_000

export async function connect(
  url: string,
  headers: Record<string, string> = {},
  options: ClientOptions = {},
): Promise<JsonRpcClient> {
  const ws = new WebSocket(url.replace('http', 'ws'), { ...options, headers })
  const messages: RpcMessage[] = []
  const byMethod = new Map<string, unknown[]>()
  const waiting = new Set<() => void>()
  ws.on('message', (data) => {
    const message: RpcMessage = JSON.parse(data.toString())
    messages.push(message)
    if (message.method !== undefined) paramsOf(message.method).push(message.params)
    for (const look of waiting) look()
  })
  const paramsOf = (method: string) => {
    const known = byMethod.get(method) ?? []
    byMethod.set(method, known)
    return known
  }
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  await once(ws, 'open')
  let lastId = 0

  const until = <T>(what: string, find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`No ${what}; got ${JSON.stringify(messages).slice(0, 2000)}`)),
        deadlineMs,
      )
      const look = () => {
        const found = find()
        if (found === undefined) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })

  return {
    ws,
    messages,
    closed,
    call(method, params) {
      const id = ++lastId
      ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return until(`answer ${id}`, () => messages.find((message) => message.id === id))
    },
    notifications: <T>(method: string, count: number) =>
      until(`${count} ${method}`, () => {
        const params = paramsOf(method)
        return params.length >= count ? ([...params] as T[]) : undefined
      }),
    raw(text) {
      const before = messages.length
      ws.send(text)
      return until('message', () => messages[before])
    },
    [Symbol.dispose]: () => ws.terminate(),
  }
}

/** The response to a refused upgrade. */
export async function refusedUpgrade(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string | undefined; problem: ProblemJson }> {
  const ws = new WebSocket(url.replace('http', 'ws'), { headers })
  const [, response] = await once(ws, 'unexpected-response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, type: response.headers['content-type'], problem: JSON.parse(body) }
}
