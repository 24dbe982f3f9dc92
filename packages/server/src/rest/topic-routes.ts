import type { TopicRegistration } from '@headrace/catalog'
import type { PartitionBounds } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { type Admission, checkTopicAllowed, mayRead } from '../access/admission.ts'
import type { OpenTopic, TopicDirectory } from '../topics/topic-directory.ts'
import { admitRequest, route } from './app.ts'
import { singleParameters } from './data-query.ts'
import type { Query } from './query.ts'

export interface TopicRoutesOptions {
  readonly topics: TopicDirectory
  readonly admission: Admission
}

/** `GET /api/v1/topics` and `/api/v1/topics/<topic>`: what the key may read, and how it reads. */
export function addTopicRoutes(app: FastifyInstance, { topics, admission }: TopicRoutesOptions): void {
  route(app, '/api/v1/topics', async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    singleParameters(request.query as Query, ['api_key'])
    return {
      topics: topics
        .list()
        .filter(({ topic }) => mayRead(key, topic))
        .map(summarize),
    }
  })
  route(app, '/api/v1/topics/:topic', async (request, reply) => {
    const key = admitRequest(admission, request, reply)
    const { topic } = request.params as { topic: string }
    checkTopicAllowed(key, topic)
    singleParameters(request.query as Query, ['api_key'])
    return describe(await topics.open(topic))
  })
}

function summarize(registration: TopicRegistration): Record<string, unknown> {
  const { topic, connector, message, key, time, bytes, partitions, successor } = registration
  return { topic, connector, message, key, time, bytes, partitions, successor }
}

function describe({ topic, description }: OpenTopic): Record<string, unknown> {
  const cursorOf = (offsetIn: (bounds: PartitionBounds) => bigint) =>
    topic.cursorAt({ partitions: description.partitions.map((bounds) => ({ offset: offsetIn(bounds), seq: null })) })
  return {
    ...summarize(topic.registration),
    earliestCursor: cursorOf(({ earliest }) => earliest),
    headCursor: cursorOf(({ end }) => end),
    // A serialized google.protobuf.FileDescriptorSet.
    descriptors: Buffer.from(topic.registration.descriptors).toString('base64'),
  }
}
