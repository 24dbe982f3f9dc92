import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { openEndpoint } from '../api-definition/endpoint.ts'
import { readQualities } from '../representation/content-coding.ts'
import { route } from '../rest/app.ts'
import { sendFile } from './send-file.ts'

/** Sends browsers the page, if there is one, and others a text. */
export function addFrontPage(app: FastifyInstance, { page, limits }: Pick<ApiContext, 'page' | 'limits'>): void {
  const textBody = Buffer.from(text)
  route(app, frontPageEndpoint, async ({ headers }, reply) => {
    if (page) reply.header('vary', 'Origin, Accept, Accept-Encoding')
    if (!page || !acceptsHtml(headers.accept)) return reply.type('text/plain; charset=utf-8').send(textBody)
    return sendFile(reply.header('cache-control', 'no-cache').headers(pageHeaders), page.index, limits.stallMs)
  })
}

/** Browsers name the type. curl and libraries accept everything. */
function acceptsHtml(accept = ''): boolean {
  const qualities = readQualities(accept)
  const html = qualities.get('text/html') ?? 0
  return html > 0 && html >= (qualities.get('text/plain') ?? 0)
}

/** `'self'` includes WebSockets of the origin (Content Security Policy Level 3, section 6.7.2.8). */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const pageHeaders = {
  'content-security-policy': policy.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
}

const frontPageEndpoint = openEndpoint({
  path: '/',
  id: 'getFrontPage',
  summary: 'A short text that lists the paths; to a browser the explorer, if the gateway has it',
  answer: {
    description: 'The text, or the page.',
    content: { 'text/plain': { type: 'string' }, 'text/html': { type: 'string' } },
  },
})

const text = `This is a Headrace gateway: records of topics, as history and live.

GET /api/v1/topics           the topics
GET /api/v1/connectors       the connectors that write them
GET /api/v1/data/{topic}     pages of records
    /sse/v1?topics={topic}   live records as server-sent events
    /ws/v1                   live records over WebSocket, JSON-RPC 2.0
GET /api/v1/openapi.json     REST and SSE as OpenAPI 3.1, without a key
GET /api/v1/asyncapi.json    WebSocket and SSE as AsyncAPI 3.0, without a key
POST /api/v1/tokens          a token for a browser
POST /mcp                    tools for language models (Model Context Protocol)
GET /schema-registry/        schemas for Kafka tools, in the API of Confluent's registry

Send an API key:  Authorization: Bearer hr_...
Create an API key with access to the queue:  connector keys create --name NAME
Guide:  https://github.com/headrace/headrace/blob/main/docs/guides/reading.md
`
