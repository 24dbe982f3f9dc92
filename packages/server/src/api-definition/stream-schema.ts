import type { JsonSchema } from '@headrace/catalog'
import { type EndReason, endMessages } from '../feed/transport.ts'
import { lossReasons } from './problem-schema.ts'

const cursor: JsonSchema = { $ref: '#/components/schemas/Cursor' }
const topicName: JsonSchema = { $ref: '#/components/schemas/TopicName' }

const topicCursors: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { topic: topicName, cursor }, required: ['topic', 'cursor'] },
}

/** The first message of a stream. */
export const startSchema: JsonSchema = {
  type: 'object',
  properties: {
    topics: { ...topicCursors, description: 'each topic with its first cursor' },
    heartbeatMs: { type: 'integer', description: 'a `progress` is sent after this much silence' },
  },
  required: ['topics', 'heartbeatMs'],
}

/** The answer to `unsubscribe`. */
export const unsubscribedSchema: JsonSchema = {
  type: 'object',
  properties: { topics: { ...topicCursors, description: 'each topic with the cursor after the last record sent' } },
  required: ['topics'],
}

export const progressSchema: JsonSchema = {
  type: 'object',
  properties: {
    cursors: {
      type: 'object',
      propertyNames: topicName,
      additionalProperties: cursor,
      description: 'topic → cursor: every record before it was sent',
    },
    units: {
      type: 'object',
      propertyNames: topicName,
      additionalProperties: { type: 'string', pattern: '^\\d+$' },
      description: 'topic → the last unit of which every record was sent, where it is known',
    },
  },
  required: ['cursors', 'units'],
}

export const gapSchema: JsonSchema = {
  type: 'object',
  properties: {
    topic: { ...topicName, description: 'the topic whose records are lost' },
    after: { type: 'string', description: 'the requested position or, later, the cursor of the last record sent' },
    resumeAt: {
      ...cursor,
      description:
        'the cursor at which it continues: the next existing record, and in other partitions the same places as before',
    },
    reason: {
      enum: lossReasons,
      description:
        '`retention` (they were removed), `recreated` (the topic was deleted and created again) or `truncated` (the log was truncated)',
    },
  },
  required: ['topic', 'after', 'resumeAt', 'reason'],
}

/** Reasons for which an event stream sends no `stream_error`. Pongs and the rate of calls exist on WebSocket only. */
const silent: readonly EndReason[] = ['draining', 'no_pong', 'rate_limited']
export const streamErrorCodes: readonly EndReason[] = (Object.keys(endMessages) as EndReason[]).filter(
  (reason) => !silent.includes(reason),
)

export const streamErrorSchema: JsonSchema = {
  type: 'object',
  properties: { code: { enum: streamErrorCodes }, detail: { type: 'string' } },
  required: ['code', 'detail'],
}
