import type { JsonSchema } from '@headrace/catalog'
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { type Endpoint, json, openEndpoint } from '../api-definition/endpoint.ts'
import { type ContentCoding, codingFor, compress } from '../representation/content-coding.ts'
import { route } from '../rest/app.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { openApiDocument } from './openapi.ts'

const openApiEndpoint = openEndpoint({
  path: '/api/v1/openapi.json',
  id: 'getOpenApi',
  summary: 'REST and SSE as an [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html) document',
  answer: json('This document.', { type: 'object' }),
})

const asyncApiEndpoint = openEndpoint({
  path: '/api/v1/asyncapi.json',
  id: 'getAsyncApi',
  summary:
    'WebSocket and SSE as an [AsyncAPI 3.0](https://www.asyncapi.com/docs/reference/specification/v3.0.0) document',
  answer: json('The document.', { type: 'object' }),
})

export function addDocumentRoutes(app: FastifyInstance, { limits, contact, keyless }: ApiContext): void {
  addDocument(app, openApiEndpoint, () => openApiDocument(app.endpoints, { contact, isKeyless: keyless !== undefined }))
  addDocument(app, asyncApiEndpoint, () => asyncApiDocument(limits, contact))
}

/** Makes the document at the first request, when all routes exist, and compresses it once in each coding. */
function addDocument(app: FastifyInstance, endpoint: Endpoint, make: () => JsonSchema): void {
  let document: Buffer | undefined
  const compressed = new Map<ContentCoding, Promise<Buffer>>()
  route(app, endpoint, async ({ headers }, reply) => {
    document ??= Buffer.from(JSON.stringify(make()))
    reply.type('application/json; charset=utf-8').header('vary', 'Origin, Accept-Encoding')
    const coding = codingFor(headers['accept-encoding'], document.byteLength)
    if (coding === undefined) return reply.send(document)
    const body = compressed.get(coding) ?? compress(document, coding)
    compressed.set(coding, body)
    return reply.header('content-encoding', coding).send(await body)
  })
}
