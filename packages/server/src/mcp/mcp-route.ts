import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { checkNames } from '../api-definition/parameter.ts'
import { overloaded } from '../errors.ts'
import { route } from '../rest/app.ts'
import { createInnerRequest } from './inner-request.ts'
import { gatewayTools } from './tools/gateway-tools.ts'

/** Of exchanges, so that one key cannot exclude others. */
const keyShare = 0.25

/** Streamable HTTP of the Model Context Protocol, without sessions. */
export function addMcpRoute(app: FastifyInstance, { limits, log }: ApiContext): void {
  const openByKey = new Map<string, number>()
  let open = 0
  route(app, mcpEndpoint, async (request, reply, { key: { id } }) => {
    checkNames(request.query, mcpEndpoint.parameters)
    const ofKey = openByKey.get(id) ?? 0
    if (open >= limits.mcpExchanges || ofKey >= Math.ceil(limits.mcpExchanges * keyShare))
      throw overloaded('Too many requests of the Model Context Protocol are open. Try again.')
    open++
    openByKey.set(id, ofKey + 1)
    const ended = new AbortController()
    reply.raw.once('close', () => ended.abort())
    try {
      const { answerMcp } = await import('./serve-http.ts')
      const { status, contentType, body } = await answerMcp({
        ...{ tools: gatewayTools, request: createInnerRequest(app, request, ended.signal), log },
        headers: protocolHeaders(request.headers),
        body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
        signal: ended.signal,
      })
      if (contentType !== null) reply.header('content-type', contentType)
      return reply.code(status).send(body === '' ? undefined : Buffer.from(body))
    } finally {
      open--
      const left = openByKey.get(id)! - 1
      if (left === 0) openByKey.delete(id)
      else openByKey.set(id, left)
    }
  })
}

/** Not the credentials, which have been checked. */
function protocolHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const passed = Object.entries(headers).filter(
    ([name]) => ['accept', 'content-type'].includes(name) || name.startsWith('mcp-'),
  )
  return Object.fromEntries(passed.map(([name, value]) => [name, [value].flat().join(', ')]))
}

const mcpEndpoint: Endpoint = {
  path: '/mcp',
  method: 'POST',
  id: 'callMcp',
  summary:
    'Tools for language models: Streamable HTTP of the [Model Context Protocol](https://modelcontextprotocol.io), without sessions',
  description:
    'See the [specification](https://modelcontextprotocol.io/specification). Each request that a tool makes counts in addition.',
  access: 'tools',
  parameters: {},
  body: { description: 'A message of JSON-RPC 2.0.', type: ['object', 'array'] },
  answer: {
    description: 'The answer. 202 without a body to a notification.',
    content: { 'application/json': { type: ['object', 'array'] }, 'text/event-stream': { type: 'string' } },
  },
  refusals: ['invalid_parameter', 'overloaded'],
  protocolErrors: {
    statuses: [400, 404, 406, 415],
    description: 'An error of JSON-RPC: the message, the version of its protocol or a header is wrong.',
    schema: { type: 'object', properties: { jsonrpc: {}, id: {}, error: { type: 'object' } }, required: ['error'] },
  },
}
