import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Call } from './answer-call.ts'
import { answerRequest, type ReplayedNode } from './answer-request.ts'
import type { TransportFault } from './replay-fault.ts'

/** A server that replays a recorded chain. */
export interface ReplayServer {
  /** URL of its JSON-RPC endpoint over HTTP. */
  readonly rpc: string
  /** Cuts all connections. */
  close(): Promise<void>
}

/**
 * Serves a chain as a node does, over HTTP: `eth_chainId`, `eth_blockNumber`, `eth_getBlockByNumber`,
 * `eth_getBlockTransactionCountByNumber` and `…ByHash`, `eth_getBlockReceipts` by hash, `eth_getTransactionReceipt`, one by
 * one or in batches.
 */
export async function startReplayServer(options: ReplayedNode): Promise<ReplayServer> {
  const server = createServer(async (request, response) => {
    const body = await read(request)
    if (body !== undefined) serve(options, JSON.parse(body) as Call | Call[], response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

function serve(options: ReplayedNode, request: Call | Call[], response: ServerResponse): void {
  const { body, fault } = answerRequest(options, request)
  if (fault === undefined) sendAnswer(response, body)
  else sendFaultyAnswer(response, fault, body)
}

/** The body; `undefined` if the client has disconnected. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
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
