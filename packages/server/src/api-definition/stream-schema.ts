import type { JsonSchema } from '@headrace/catalog'
import { type EndReason, endMessages } from '../feed/end-reason.ts'
import { lossReasons } from './problem-schema.ts'

const cursor: JsonSchema = { $ref: '#/components/schemas/Cursor' }
const topicName: JsonSchema = { $ref: '#/components/schemas/TopicName' }

const topicCursors: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { topic: topicName, cursor }, required: ['topic', 'cursor'] },
}

/** What a stream begins with. */
export const startSchema: JsonSchema = {
  type: 'object',
  properties: {
    topics: { ...topicCursors, description: 'each topic with the cursor it begins at' },
    heartbeatMs: { type: 'integer', description: 'after so much silence there is a `progress`' },
  },
  required: ['topics', 'heartbeatMs'],
}

/** What is left when topics are left. */
export const leftSchema: JsonSchema = {
  type: 'object',
  properties: { topics: { ...topicCursors, description: 'each topic with the cursor after what was sent' } },
  required: ['topics'],
}

export const progressSchema: JsonSchema = {
  type: 'object',
  properties: {
    cursors: {
      type: 'object',
      propertyNames: topicName,
      additionalProperties: cursor,
      description: 'topic → cursor: everything before it was sent',
    },
    units: {
      type: 'object',
      propertyNames: topicName,
      additionalProperties: { type: 'string', pattern: '^\\d+$' },
      description: 'topic → the unit through which it is whole, where that is known',
    },
  },
  required: ['cursors', 'units'],
}

export const gapSchema: JsonSchema = {
  type: 'object',
  properties: {
    topic: { ...topicName, description: 'the topic whose records are lost' },
    after: { type: 'string', description: 'the position asked for or, on the way, the cursor of what was sent' },
    resumeAt: {
      ...cursor,
      description:
        'the cursor at which it continues: the next record that is there, and the same places as before in other partitions',
    },
    reason: {
      enum: lossReasons,
      description:
        '`retention` (they were removed), `recreated` (the topic was created anew) or `truncated` (what is there is not ' +
        'what followed)',
    },
  },
  required: ['topic', 'after', 'resumeAt', 'reason'],
}

/** Reasons that an event stream gives for its end. A gateway that closes gives none; pongs and calls are of WebSocket. */
const silent: readonly EndReason[] = ['draining', 'no_pong', 'rate_limited']
export const streamErrorCodes: readonly EndReason[] = (Object.keys(endMessages) as EndReason[]).filter(
  (reason) => !silent.includes(reason),
)

export const streamErrorSchema: JsonSchema = {
  type: 'object',
  properties: { code: { enum: streamErrorCodes }, detail: { type: 'string' } },
  required: ['code', 'detail'],
}
