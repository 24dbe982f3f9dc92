import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, answerCall, type Call } from './answer-call.ts'
import { type Recording, readRecording } from './recording.ts'

/** A node that has what is recorded. */
export interface RecordedNode extends AsyncDisposable {
  /** URL of its JSON-RPC endpoint. */
  readonly rpc: string
  /** Serves another recording from now on: the chain has grown, or was reorganised. */
  serve(recording: Recording): void
  /** Cuts what is under way. Resolves when its port is free. */
  close(): Promise<void>
}

/**
 * Serves a recorded stretch of a chain as a node's JSON-RPC endpoint over HTTP, on 127.0.0.1 and a free port, to this
 * machine alone. It knows what `readBlocks` asks for: the chain id, blocks by number, tag and hash, how many transactions
 * they have, and receipts, one by one or in batches.
 *
 * @param recording What to serve, or the JSON file that holds it.
 * @throws {InvalidRecordingError} the file is not there or holds no recording.
 *
 * @example
 * ```ts
 * const node = await serveRecording(new URL('../recorded/blocks.json', import.meta.url))
 * try {
 *   for await (const { block } of readBlocks({ ...settings, rpc: node.rpc }, source)) seen.push(block.hash)
 * } finally {
 *   await node.close()
 * }
 * ```
 */
export async function serveRecording(recording: Recording | string | URL): Promise<RecordedNode> {
  const isFile = typeof recording === 'string' || recording instanceof URL
  let served = isFile ? await readRecording(recording) : recording
  const server = createServer(async (request, response) => {
    const body = await read(request)
    if (body === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answerBody(served, body)))
  })
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(0, '127.0.0.1', resolve)
  await listening
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return {
    rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(other) {
      served = other
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function answerBody(recording: Recording, body: string): unknown {
  try {
    const request = JSON.parse(body) as Call | Call[]
    return Array.isArray(request) ? request.map((call) => envelope(recording, call)) : envelope(recording, request)
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the request is no JSON' } }
  }
}

function envelope(recording: Recording, call: Call): Answer & { readonly jsonrpc: '2.0'; readonly id: unknown } {
  return { jsonrpc: '2.0', id: call.id, ...answerCall(recording, call) }
}

/** The body; `undefined` where the client has gone meanwhile. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat(await request.toArray()).toString()
  } catch {
    return undefined
  }
}
