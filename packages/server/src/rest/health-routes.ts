import { systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { route } from './app.ts'

/** `GET /health/live` and `/health/ready`, for whoever runs the gateway. Without a key. */
export function addHealthRoutes(app: FastifyInstance, queue: Queue): void {
  route(app, '/health/live', async () => ({ status: 'live' }))
  route(app, '/health/ready', async () => {
    // Throws when the queue is out of reach, which answers 503.
    await queue.describe([systemTopics.registry])
    return { status: 'ready' }
  })
}
