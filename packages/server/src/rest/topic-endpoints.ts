import type { Endpoint } from '../api-definition/endpoint.ts'

export const topicsEndpoint: Endpoint = {
  path: '/api/v1/topics',
  id: 'listTopics',
  summary: 'The topics that the key may read',
  access: 'request',
  parameters: {},
  answer: {
    description: 'The topics, in order of name.',
    content: { 'application/json': { $ref: '#/components/schemas/TopicList' } },
  },
  refusals: ['invalid_parameter'],
}

export const topicEndpoint: Endpoint = {
  path: '/api/v1/topics/{topic}',
  id: 'describeTopic',
  summary: 'One of them, with what lies in it and its schema',
  access: 'request',
  parameters: {},
  answer: {
    description: 'The topic.',
    content: { 'application/json': { $ref: '#/components/schemas/Topic' } },
  },
  refusals: ['topic_forbidden', 'invalid_parameter', 'topic_not_found', 'overloaded'],
}
