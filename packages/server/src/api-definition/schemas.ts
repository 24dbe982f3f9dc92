import type { JsonSchema } from '@headrace/catalog'
import { cursorSchema } from './position-schema.ts'
import { problemSchema } from './problem-schema.ts'
import { pageSchema, recordSchema } from './record-schema.ts'
import { topicListSchema, topicNameSchema, topicSchema, topicSummarySchema } from './topic-schema.ts'

const count: JsonSchema = { type: 'integer', minimum: 0 }

const countProperties = {
  requests: {
    ...count,
    description:
      'REST requests, openings of WebSocket and SSE connections, and calls over WebSocket or messages that are none, within ' +
      'the limits',
  },
  refused: {
    ...count,
    description: 'the same, refused because of a limit of the key or its origins',
  },
  records: { ...count, description: 'records sent; counted once for each connection' },
  bytes: { ...count, description: 'bytes sent, with the headers and frames of the protocols, without those of TLS' },
  connectionSeconds: {
    ...count,
    description: 'seconds for which WebSocket and SSE connections were open, in total',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>

export const usageCountsSchema: JsonSchema = {
  type: 'object',
  properties: countProperties,
  required: Object.keys(countProperties),
}

const time: JsonSchema = { type: 'string', format: 'date-time' }

export const usageSchema: JsonSchema = {
  type: 'object',
  properties: {
    key: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id', 'name'],
      description: 'the `id` of the key, which is no secret, and its `name`',
    },
    from: { ...time, description: 'beginning of the first hour' },
    to: { ...time, description: 'end of the range: hours that begin at this time or later are not included' },
    total: { $ref: '#/components/schemas/UsageCounts', description: 'the sum of all hours' },
    hours: {
      type: 'array',
      items: {
        type: 'object',
        properties: { hour: time, ...countProperties },
        required: ['hour', ...Object.keys(countProperties)],
      },
      description: 'the counts of each `hour` with any use, the oldest first',
    },
  },
  required: ['key', 'from', 'to', 'total', 'hours'],
}

/** The schemas of both documents, by name: `#/components/schemas/<name>`. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Cursor: cursorSchema,
  TopicName: topicNameSchema,
  Record: recordSchema,
  Page: pageSchema,
  TopicSummary: topicSummarySchema,
  TopicList: topicListSchema,
  Topic: topicSchema,
  UsageCounts: usageCountsSchema,
  Usage: usageSchema,
  Problem: problemSchema,
}
