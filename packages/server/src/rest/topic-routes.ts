import type { TopicRegistration } from '@headrace/catalog'
import type { PartitionBounds } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { type Admission, checkTopicAllowed, mayRead } from '../access/admission.ts'
import type { ApiKey } from '../access/keys/api-key.ts'
import { singleParameters } from '../api-definition/read-parameters.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import { createTopicSchemas } from '../topics/topic-schemas.ts'
import { admitRequest, route } from './app.ts'
import type { Query } from './query.ts'
import { topicEndpoint, topicsEndpoint } from './topic-endpoints.ts'

export interface TopicRoutesOptions {
  readonly topics: TopicDirectory
  readonly admission: Admission
}

/** `GET /api/v1/topics` and `/api/v1/topics/<topic>`: what the key may read, and how it reads. */
export function addTopicRoutes(app: FastifyInstance, { topics, admission }: TopicRoutesOptions): void {
  const schemas = createTopicSchemas()
  route(app, topicsEndpoint, async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    singleParameters(request.query as Query, topicsEndpoint.parameters)
    const permitted = topics.list().filter(({ topic }) => mayRead(key, topic))
    return { topics: permitted.map((registration) => summarize(registration, key)) }
  })
  route(app, topicEndpoint, async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    const { topic } = request.params as { topic: string }
    checkTopicAllowed(key, topic)
    singleParameters(request.query as Query, topicEndpoint.parameters)
    const open = await topics.open(topic)
    return { ...summarize(open.topic.registration, key), ...placesIn(open), ...schemas(open.topic) }
  })
}

/** A successor that the key may not read is not told of, as no other topic is. */
function summarize(registration: TopicRegistration, apiKey: ApiKey): Record<string, unknown> {
  const { topic, connector, message, key, time, bytes, partitions } = registration
  const successor = registration.successor && mayRead(apiKey, registration.successor) && registration.successor
  return { topic, connector, message, key, time, bytes, partitions, ...(successor && { successor }) }
}

function placesIn({ topic, description }: OpenTopic): Record<string, unknown> {
  const cursorOf = (offsetIn: (bounds: PartitionBounds) => bigint) =>
    topic.cursorAt({ partitions: description.partitions.map((bounds) => ({ offset: offsetIn(bounds), seq: null })) })
  return {
    bounds: description.partitions.map(({ earliest, end }, partition) => {
      return { partition, earliest: `${earliest}`, end: `${end}` }
    }),
    earliestCursor: cursorOf(({ earliest }) => earliest),
    headCursor: cursorOf(({ end }) => end),
  }
}
