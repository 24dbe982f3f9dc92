import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Call } from '../recorded-chain/answer-call.ts'
import { answerRequest, type ReplayedNode } from '../recorded-chain/answer-request.ts'
import type { TransportFault } from '../recorded-chain/replay-fault.ts'

export type { Call } from '../recorded-chain/answer-call.ts'

/** What goes wrong with a request. */
export interface Fault {
  /** HTTP status, headers and body instead of an answer. */
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** The node answers for these parameters instead. Not for batches. */
  readonly params?: readonly unknown[]
  /** Replaces the node's result. Not for batches. */
  readonly result?: (result: unknown) => unknown
}

/** A node's JSON-RPC endpoint over HTTP, with any fault. */
export interface FakeNode {
  readonly rpc: string
  /** Requests so far, and their calls, in order. Of a replayed chain, which may get millions, none are kept. */
  readonly requests: readonly (readonly Call[])[]
  readonly calls: readonly Call[]
  /** Chooses the fault of a call, or of a batch by its first call. Default: none. */
  fault: (call: Call, batch?: readonly Call[]) => Fault | undefined
  /** Number of open connections. */
  connections(): Promise<number>
  /** Cuts all connections. */
  close(): Promise<void>
}

/** @param source URL of a real node that answers, or a replayed chain, whose node has faults of its own. */
export async function startFakeNode(source: string | ReplayedNode): Promise<FakeNode> {
  const requests: Call[][] = []
  const server = createServer(async (request, response) => {
    // Rejects if the client has disconnected.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const sent = JSON.parse(body) as Call | Call[]
    const calls = [sent].flat()
    if (typeof source === 'string') requests.push(calls)
    const fault = node.fault(calls[0]!, Array.isArray(sent) ? sent : undefined)
    if (fault?.body !== undefined || fault?.status !== undefined)
      response.writeHead(fault.status ?? 200, fault.headers).end(fault.body)
    else if (typeof source === 'string') response.end(JSON.stringify(await forward(source, sent, fault)))
    else replay(source, sent, response)
  })
  // Long, so that clients close idle connections themselves.
  server.keepAliveTimeout = 600_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const node: FakeNode = {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get calls() {
      return requests.flat()
    },
    fault: () => undefined,
    connections: promisify(server.getConnections.bind(server)),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  return node
}

async function forward(rpc: string, request: Call | Call[], fault: Fault | undefined): Promise<unknown> {
  const asked = fault?.params ? { ...request, params: fault.params } : request
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpc, { method: 'POST', headers, body: JSON.stringify(asked) })
  const answer = (await response.json()) as { readonly result?: unknown }
  return fault?.result ? { ...answer, result: await fault.result(answer.result) } : answer
}

function replay(source: ReplayedNode, request: Call | Call[], response: ServerResponse): void {
  const { body, fault } = answerRequest(source, request)
  if (fault === undefined) sendAnswer(response, body)
  else sendFaultyAnswer(response, fault, body)
}

function sendAnswer(response: ServerResponse, body: readonly Buffer[]): void {
  const length = body.reduce((sum, part) => sum + part.length, 0)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  response.cork()
  for (const part of body) response.write(part)
  response.end()
  response.uncork()
}

function sendFaultyAnswer(response: ServerResponse, fault: TransportFault, body: readonly Buffer[]): void {
  const whole = Buffer.concat(body)
  const half = whole.subarray(0, whole.length >> 1)
  switch (fault) {
    case 'silence':
      break
    case 'truncated_json':
      sendAnswer(response, [half])
      break
    case 'connection_cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
      response.write(half, () => response.destroy())
      break
    case 'retry_after_seconds':
      response.writeHead(429, { 'retry-after': '1' }).end()
      break
    case 'retry_after_date':
      response.writeHead(429, { 'retry-after': new Date(Date.now() + retryAfterMs).toUTCString() }).end()
      break
    default:
      response.writeHead(Number(fault.slice('status_'.length))).end('<html>An error has occurred.</html>')
  }
}

/** More than a second, because a date has whole seconds. */
const retryAfterMs = 1500
