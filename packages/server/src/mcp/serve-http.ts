import { createMcpHandler } from '@modelcontextprotocol/server'
import { createMcpServer } from './mcp-server.ts'
import type { McpServerOptions } from './server-options.ts'

export interface McpExchange extends McpServerOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

export interface McpHttpAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/** Answers one POST of Streamable HTTP, and keeps nothing. Clients of 2025 get the answer as an event stream that ends. */
export async function answerMcp(exchange: McpExchange): Promise<McpHttpAnswer> {
  const { headers, body, signal, log } = exchange
  const handler = createMcpHandler(() => createMcpServer(exchange), {
    // There is nothing to subscribe to.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => log.debug({ err: error }, 'message refused'),
  })
  try {
    const request = new Request('http://gateway/mcp', { method: 'POST', headers, body: Buffer.from(body), signal })
    const response = await handler.fetch(request)
    const contentType = response.headers.get('content-type')
    return { status: response.status, contentType, body: await response.text() }
  } finally {
    await handler.close()
  }
}
