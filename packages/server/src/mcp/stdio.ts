import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from './mcp-server.ts'
import type { McpServerOptions } from './server-options.ts'

export interface StdioOptions extends McpServerOptions {
  readonly input: Readable
  /** Gets messages of the protocol only. */
  readonly output: Writable
  readonly signal: AbortSignal
}

/** Serves one client, until its input ends, its output is closed or the signal is aborted. */
export async function serveMcpOverStdio({ input, output, signal, ...options }: StdioOptions): Promise<void> {
  const { log } = options
  const transport = new StdioServerTransport(input, output)
  const handle = serveStdio(() => createMcpServer(options), {
    transport,
    maxSubscriptions: 0,
    onerror: (error) => log.warn({ err: error }, 'message refused'),
  })
  const closed = Promise.withResolvers<void>()
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    closed.resolve()
  }
  if (!signal.aborted) await Promise.race([closed.promise, once(signal, 'abort')])
  await handle.close()
}
