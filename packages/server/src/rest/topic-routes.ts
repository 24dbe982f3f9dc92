import { type Adoption, isAdopted, parseRetention, type TopicContent, type TopicRegistration } from '@headrace/catalog'
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
    return { topics: permitted.map((content) => summarize(content, grant)) }
  })
  route(app, topicEndpoint, async (request, _reply, grant) => {
    const { topic } = request.params
    checkTopicAllowed(grant, topic)
    checkNames(request.query, topicEndpoint.parameters)
    const open = await topics.open(topic)
    await activity.refresh([topic])
    return { ...summarize(open.topic.content, grant), ...placesIn(open), ...schemas(open.topic) }
  })

  /** The name of a successor that the key may not read must not be revealed. */
  function summarize(content: TopicContent, grant: Grant): Record<string, unknown> {
    const { records = null, newest, rate, partitions } = activity.ofTopic(content.topic)
    const { perSecond, seconds, counts } = rate
    return {
      ...(isAdopted(content) ? adopted(content, partitions ?? content.partitions) : registered(content, grant)),
      records: isAdopted(content) ? null : records,
      newest: newest ? { time: formatTime(newest.time), unit: formatUnit(newest.unit) } : null,
      rate: { perSecond, seconds, records: counts },
    }
  }

  function registered(registration: TopicRegistration, grant: Grant): Record<string, unknown> {
    const { topic, instance, connector, message, key, time, bytes, partitions, retention = 'forever' } = registration
    const successor = registration.successor && mayRead(grant, registration.successor) && registration.successor
    const { maxAgeMs, maxBytes } = parseRetention(retention)
    return {
      ...{ topic, connector, instance, format: 'protobuf', message, key, time, bytes, partitions },
      ...(successor && { successor }),
      retention: { ms: maxAgeMs ?? null, bytes: maxBytes ?? null },
    }
  }

  /** The gateway does not know how long others keep their records. */
  function adopted(adoption: Adoption, partitions: number): Record<string, unknown> {
    const { topic, format, message = null, bytes } = adoption
    return { topic, connector: null, instance: null, format, message, bytes, partitions, retention: null }
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

function schemaOf({ format }: ServedTopic): Record<string, unknown> {
  const { descriptors, ...texts } = format.describe()
  return { ...texts, ...(descriptors && { descriptors: Buffer.from(descriptors).toString('base64') }) }
}
