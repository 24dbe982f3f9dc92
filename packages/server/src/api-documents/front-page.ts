import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { route } from '../rest/app.ts'

const endpoint: Endpoint = {
  path: '/',
  id: 'getFrontPage',
  summary: 'A short text that names what is served here',
  access: 'open',
  parameters: {},
  answer: { description: 'The text.', content: { 'text/plain': { type: 'string' } } },
  refusals: [],
}

const text = `This is a Headrace gateway: records of topics, as history and live.

GET /api/v1/topics           the topics
GET /api/v1/data/{topic}     pages of records
    /sse/v1?topics={topic}   live records as server-sent events
    /ws/v1                   live records over WebSocket, JSON-RPC 2.0
GET /api/v1/openapi.json     REST and SSE as OpenAPI 3.1, without a key
GET /api/v1/asyncapi.json    WebSocket and SSE as AsyncAPI 3.0, without a key

Send an API key:  Authorization: Bearer hr_...
Make one beside the queue:  connector keys create --name NAME
Read on:  https://github.com/headrace/headrace/blob/main/docs/guides/reading.md
`

/** `GET /`: for a person who opens the address that a command has printed. Without a key. */
export function addFrontPage(app: FastifyInstance): void {
  const body = Buffer.from(text)
  route(app, endpoint, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(body))
}
