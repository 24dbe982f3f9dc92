import type { FastifyInstance } from 'fastify'
import { checkTopicAllowed } from '../access/grant.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { checkNames, invalid } from '../api-definition/parameter.ts'
import { ref, topicNamePattern } from '../api-definition/schemas.ts'
import { RefusedError } from '../errors.ts'
import { route } from './app.ts'

/** Whether the credentials of a request allow every page of a topic, for caches in front of gateways. */
export function addAuthorizeRoute(app: FastifyInstance): void {
  route(app, authorizeEndpoint, async (request, reply, grant) => {
    const { topic } = request.query
    if (typeof topic === 'string') checkTopicAllowed(grant, topic)
    checkNames(request.query, authorizeEndpoint.parameters)
    if (typeof topic !== 'string' || !topicName.test(topic))
      throw invalid('topic', 'topic must be the name of the topic that is to be read: 1 to 249 of A–Z a–z 0–9 . _ -.')
    if (grant.filter !== undefined)
      throw new RefusedError(
        'topic_forbidden',
        'The token has a filter, so it allows no whole page. Send the request to the gateway itself.',
        { members: { topic } },
      )
    return reply.code(204).send()
  })
}

const topicName = new RegExp(topicNamePattern)

const authorizeEndpoint: Endpoint = {
  path: '/api/v1/authorize',
  id: 'authorize',
  summary: 'Whether the key may read a topic',
  description:
    'For a cache in front of gateways. Counts as a request. An answer says nothing about whether the topic exists.',
  access: 'request',
  parameters: { topic: { description: 'the name of the topic', schema: ref('TopicName'), required: true } },
  answer: { status: 204, description: 'It may read every page of the topic.', content: {} },
  refusals: ['topic_forbidden', 'invalid_parameter'],
}
