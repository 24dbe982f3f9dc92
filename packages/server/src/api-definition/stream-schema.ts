import type { JsonSchema } from '@headrace/catalog'
import { type EndReason, endMessages } from '../feed/transport.ts'
import { lossReasons, object, ref } from './schemas.ts'

const topicCursors: JsonSchema = { type: 'array', items: object({ topic: ref('TopicName'), cursor: ref('Cursor') }) }

export const startSchema: JsonSchema = object({
  topics: { ...topicCursors, description: 'each topic with its first cursor' },
  heartbeatMs: { type: 'integer', description: 'a `progress` is sent after this much silence' },
})

export const unsubscribedSchema: JsonSchema = object({
  topics: { ...topicCursors, description: 'each topic with the cursor after the last record sent' },
})

export const progressSchema: JsonSchema = object({
  cursors: {
    type: 'object',
    propertyNames: ref('TopicName'),
    additionalProperties: ref('Cursor'),
    description: 'topic → cursor: every record before it was sent',
  },
  units: {
    type: 'object',
    propertyNames: ref('TopicName'),
    additionalProperties: { type: 'string', pattern: '^\\d+$' },
    description: 'topic → the last unit of which every record was sent, where it is known',
  },
})

export const gapSchema: JsonSchema = object({
  topic: ref('TopicName', 'the topic whose records are lost'),
  after: { type: 'string', description: 'the requested position or, later, the cursor of the last record sent' },
  resumeAt: ref(
    'Cursor',
    'the cursor at which it continues: the next existing record, and in other partitions the same places as before',
  ),
  reason: {
    enum: lossReasons,
    description:
      '`retention` (they were removed), `recreated` (the topic was deleted and created again) or `truncated` (the log was truncated)',
  },
})

/** Pongs and the rate of calls exist on WebSocket only. */
const silent: readonly EndReason[] = ['draining', 'no_pong', 'rate_limited']
export const streamErrorCodes: readonly EndReason[] = (Object.keys(endMessages) as EndReason[]).filter(
  (reason) => !silent.includes(reason),
)

export const streamErrorSchema: JsonSchema = object({
  code: { enum: streamErrorCodes },
  detail: { type: 'string' },
})
