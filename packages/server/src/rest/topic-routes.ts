import {
  createValueSchema,
  formatProto,
  parseRetention,
  schemaFromDescriptors,
  type TopicRegistration,
} from '@headrace/catalog'
import type { FastifyInstance } from 'fastify'
import { checkTopicAllowed, type Grant, mayRead } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { type Endpoint, json } from '../api-definition/endpoint.ts'
import { checkNames } from '../api-definition/parameter.ts'
import { ref } from '../api-definition/schemas.ts'
import { memoize } from '../memoize.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import { route } from './app.ts'
import { formatTime, formatUnit } from './format.ts'

export function addTopicRoutes(app: FastifyInstance, { topics, activity }: ApiContext): void {
  const schemas = memoize(schemaOf)
  route(app, topicsEndpoint, async (request, _reply, grant) => {
    checkNames(request.query, topicsEndpoint.parameters)
    const permitted = topics.list().filter(({ topic }) => mayRead(grant, topic))
    await activity.refresh(permitted.map(({ topic }) => topic))
    return { topics: permitted.map((registration) => summarize(registration, grant)) }
  })
  route(app, topicEndpoint, async (request, _reply, grant) => {
    const { topic } = request.params
    checkTopicAllowed(grant, topic)
    checkNames(request.query, topicEndpoint.parameters)
    const open = await topics.open(topic)
    await activity.refresh([topic])
    return { ...summarize(open.topic.registration, grant), ...placesIn(open), ...schemas(open.topic) }
  })

  /** The name of a successor that the key may not read must not be revealed. */
  function summarize(registration: TopicRegistration, grant: Grant): Record<string, unknown> {
    const { topic, instance, connector, message, key, time, bytes, partitions } = registration
    const successor = registration.successor && mayRead(grant, registration.successor) && registration.successor
    const { records = null, newest, rate } = activity.ofTopic(topic)
    const { perSecond, seconds, counts } = rate
    const { maxAgeMs, maxBytes } = parseRetention(registration.retention ?? 'forever')
    return {
      ...{ topic, connector, instance, message, key, time, bytes, partitions, ...(successor && { successor }) },
      records,
      newest: newest ? { time: formatTime(newest.time), unit: formatUnit(newest.unit) } : null,
      rate: { perSecond, seconds, records: counts },
      retention: { ms: maxAgeMs ?? null, bytes: maxBytes ?? null },
    }
  }
}

function placesIn({ topic, description: { partitions } }: OpenTopic): Record<string, unknown> {
  return {
    bounds: partitions.map(({ earliest, end }, partition) => {
      return { partition, earliest: `${earliest}`, end: `${end}` }
    }),
    earliestCursor: topic.cursorAt({ partitions: partitions.map(({ earliest }) => ({ offset: earliest, seq: null })) }),
    headCursor: topic.cursorAt({ partitions: partitions.map(({ end }) => ({ offset: end, seq: null })) }),
  }
}

const topicsEndpoint: Endpoint = {
  path: '/api/v1/topics',
  id: 'listTopics',
  summary: 'The topics that the key may read',
  access: 'request',
  parameters: {},
  answer: json('The topics, in order of name.', ref('TopicList')),
  refusals: ['invalid_parameter'],
}

const topicEndpoint: Endpoint = {
  path: '/api/v1/topics/{topic}',
  id: 'describeTopic',
  summary: 'One topic, with its bounds and its schema',
  access: 'request',
  parameters: {},
  answer: json('The topic.', ref('Topic')),
  refusals: ['topic_forbidden', 'invalid_parameter', 'topic_not_found', 'overloaded'],
}

function schemaOf({ registration }: ServedTopic): Record<string, unknown> {
  const { descriptors, bytes } = registration
  // A topic whose schema lacks its message is not served.
  const message = schemaFromDescriptors(descriptors).message(registration.message)!
  return {
    proto: formatProto(message),
    descriptors: Buffer.from(descriptors).toString('base64'),
    jsonSchema: createValueSchema(message, bytes),
  }
}
