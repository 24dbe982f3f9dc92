import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Call } from './answer-call.ts'
import { answerRequest, type ReplayedNode } from './answer-request.ts'
import { sendAnswer, spoilAnswer } from './http-answer.ts'

/** A node that plays a recorded chain. */
export interface ReplayServer {
  /** URL of its JSON-RPC endpoint over HTTP. */
  readonly rpc: string
  /** Cuts what is under way. */
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
  else spoilAnswer(response, fault, body)
}

/** The body; `undefined` where the client has gone meanwhile. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}
