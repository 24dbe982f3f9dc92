import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface McpClient extends AsyncDisposable {
  readonly client: Client
  /** The structured content of a result that is no error. */
  call<Result>(tool: string, given?: Readonly<Record<string, unknown>>): Promise<Result>
  /** The text of a result that is an error. */
  refusal(tool: string, given?: Readonly<Record<string, unknown>>): Promise<string>
}

export interface McpClientOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `legacy`: with the handshake of 2025. */
  readonly mode?: 'legacy' | 'auto'
  readonly fetch?: FetchLike
}

/** The client of the SDK over Streamable HTTP. It checks results against the schemas of the tools. */
export async function openMcp({ url, headers, mode = 'auto', fetch }: McpClientOptions): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { ...headers } },
    ...(fetch && { fetch }),
  })
  await client.connect(transport)
  await client.listTools()
  return usableClient(client)
}

export function usableClient(client: Client): McpClient {
  const callTool = (name: string, given: Readonly<Record<string, unknown>>) =>
    client.callTool({ name, arguments: { ...given } })
  return {
    client,
    async call<Result>(tool: string, given = {}) {
      const { isError, content, structuredContent } = await callTool(tool, given)
      if (isError) throw new Error(JSON.stringify(content))
      return structuredContent as Result
    },
    async refusal(tool, given = {}) {
      const { isError, content } = await callTool(tool, given)
      if (!isError) throw new Error('The result is no error.')
      return (content as { text: string }[])[0]!.text
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
