import { type Endpoint, needsKey } from './api-document.ts'

/** A request that works as it is once `KEY`, and `TOPIC` where the path or query has one, are set in the shell. */
export function curlLine(endpoint: Endpoint, url: string): string {
  const { operationId, method, path, parameters = [], requestBody } = endpoint
  const address = `${url}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}`
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || one.name in values))
    .map(({ name }) => `${name}=${values[name] ?? ''}`)
    .join('&')
  const options = [
    path.startsWith('/sse/') ? 'curl -N' : 'curl',
    ...(needsKey(endpoint) ? ['-H "Authorization: Bearer $KEY"'] : []),
    // The Model Context Protocol requires both types.
    ...(path === '/mcp' ? ['-H "Accept: application/json, text/event-stream"'] : []),
    ...(requestBody ? ['-H "Content-Type: application/json"', `-d '${bodies[operationId] ?? '{}'}'`] : []),
    ...(method === 'GET' || method === 'POST' ? [] : [`-X ${method}`]),
    `"${address}${query && `?${query}`}"`,
  ]
  return options.join(options.join(' ').length > 100 ? ' \\\n  ' : ' ')
}

const values: Readonly<Record<string, string>> = { topics: '$TOPIC', topic: '$TOPIC', limit: '3' }
const bodies: Readonly<Record<string, string>> = {
  createToken: '{"expiresIn":900}',
  callMcp: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
}
