import { type JsonSchema, systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { route } from './app.ts'

const liveEndpoint: Endpoint = {
  path: '/health/live',
  id: 'isLive',
  summary: '200 while the process runs',
  access: 'open',
  parameters: {},
  answer: { description: 'It runs.', content: { 'application/json': statusSchema('live') } },
  refusals: [],
}

const readyEndpoint: Endpoint = {
  path: '/health/ready',
  id: 'isReady',
  summary: '200 while the queue answers, else 503',
  access: 'open',
  parameters: {},
  answer: { description: 'It can be read from.', content: { 'application/json': statusSchema('ready') } },
  refusals: ['overloaded'],
}

/** `GET /health/live` and `/health/ready`, for whoever runs the gateway. Without a key. */
export function addHealthRoutes(app: FastifyInstance, queue: Queue): void {
  route(app, liveEndpoint, async () => ({ status: 'live' }))
  route(app, readyEndpoint, async () => {
    // Throws when the queue is out of reach, which answers 503.
    await queue.describe([systemTopics.registry])
    return { status: 'ready' }
  })
}

function statusSchema(status: string): JsonSchema {
  return { type: 'object', properties: { status: { const: status } }, required: ['status'] }
}
