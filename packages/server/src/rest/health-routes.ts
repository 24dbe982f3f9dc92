import { setTimeout as wait } from 'node:timers/promises'
import { systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { type Endpoint, json, openEndpoint } from '../api-definition/endpoint.ts'
import { object } from '../api-definition/schemas.ts'
import { RefusedError } from '../errors.ts'
import { route } from './app.ts'

const liveEndpoint = openEndpoint({
  path: '/health/live',
  id: 'isLive',
  summary: '200 while the process runs',
  answer: json('It runs.', object({ status: { const: 'live' } })),
})

/** How long the queue may take to answer. Shorter than the time limits of the queue itself. */
const readyMs = 2000

const readyEndpoint: Endpoint = {
  ...openEndpoint({
    path: '/health/ready',
    id: 'isReady',
    summary: '200 while the queue answers, else 503',
    answer: json('It can be read from.', object({ status: { const: 'ready' } })),
  }),
  refusals: ['overloaded'],
}

export function addHealthRoutes(app: FastifyInstance, queue: Queue): void {
  route(app, liveEndpoint, async () => ({ status: 'live' }))
  route(app, readyEndpoint, async () => {
    const answered = queue.describe([systemTopics.registry]).then(() => true)
    if (!(await Promise.race([answered, wait(readyMs, false, { ref: false })])))
      throw new RefusedError('overloaded', `The queue has not answered for ${readyMs} ms.`)
    return { status: 'ready' }
  })
}
