import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What to answer instead of the node. */
export interface Fault {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** The whole body. */
  readonly body?: string
  /** What the node is asked instead. */
  readonly params?: readonly unknown[]
  /** Makes another result of the node's. */
  readonly result?: (result: unknown) => unknown
}

/** A door before a real node that can be made to answer as broken nodes do. */
export interface FaultyNode {
  readonly rpc: string
  /** Calls that arrived, in order. */
  readonly calls: readonly Call[]
  /** Decides for each call what goes wrong with it; `undefined`: nothing. */
  fault: (call: Call) => Fault | undefined
  /** How many connections are open to it. */
  connections(): Promise<number>
  close(): Promise<void>
}

export async function startFaultyNode(node: string): Promise<FaultyNode> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const body = await read(request)
    const call = JSON.parse(body) as Call
    // A batch is handed on as it is.
    if (Array.isArray(call)) {
      response.end(JSON.stringify(await forward(node, body)))
      return
    }
    calls.push(call)
    const fault = faulty.fault(call)
    if (fault?.body !== undefined || fault?.status !== undefined) {
      response.writeHead(fault.status ?? 200, fault.headers).end(fault.body)
      return
    }
    const answer = await forward(node, fault?.params ? JSON.stringify({ ...call, params: fault.params }) : body)
    const result = fault?.result ? await fault.result(answer.result) : answer.result
    response.end(JSON.stringify({ ...answer, result }))
  })
  // Long, so that clients close idle connections themselves.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const faulty: FaultyNode = {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fault: () => undefined,
    connections: promisify(server.getConnections.bind(server)),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  return faulty
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function forward(node: string, body: string): Promise<{ result?: unknown }> {
  const response = await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()) as { result?: unknown }
}
