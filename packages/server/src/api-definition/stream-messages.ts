import type { JsonSchema } from '@headrace/catalog'
import { type EndReason, endMessages } from '../feed/transport.ts'
import { lossReasons, object, ref } from './schemas.ts'

const topicPlaces: JsonSchema = {
  type: 'array',
  items: object(
    { topic: ref('TopicName'), cursor: ref('Cursor'), nextSeqs: ref('NextSeqs') },
    { optional: ['nextSeqs'] },
  ),
}

export const startSchema: JsonSchema = object({
  topics: {
    ...topicPlaces,
    description: 'each topic with its first cursor; with a filter or fields also the `nextSeqs` there',
  },
  heartbeatMs: { type: 'integer', description: 'a `progress` is sent after this much silence' },
})

export const unsubscribedSchema: JsonSchema = object({
  topics: {
    ...topicPlaces,
    description: 'each topic with the cursor after the last record sent or left out, and as above `nextSeqs`',
  },
})

export const progressSchema: JsonSchema = object(
  {
    cursors: {
      type: 'object',
      propertyNames: ref('TopicName'),
      additionalProperties: ref('Cursor'),
      description: 'topic → cursor: every record before it was sent, or left out',
    },
    units: {
      type: 'object',
      propertyNames: ref('TopicName'),
      additionalProperties: { type: 'string', pattern: '^\\d+$' },
      description: 'topic → the last unit of which every record was sent, or left out, where it is known',
    },
    nextSeqs: {
      type: 'object',
      propertyNames: ref('TopicName'),
      additionalProperties: ref('NextSeqs'),
      description:
        'topic with a filter or fields → for each partition, the `seq` of the record after the cursor, if it is known',
    },
  },
  { optional: ['nextSeqs'] },
)

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
const streamErrorCodes = (Object.keys(endMessages) as EndReason[]).filter((reason) => !silent.includes(reason))

/** A message that a gateway sends on a stream. */
export interface StreamMessage {
  /** In Markdown. */
  readonly meaning: string
  readonly schema: JsonSchema
}

/** By method. */
export const notifications: Readonly<Record<string, StreamMessage>> = {
  subscription: { meaning: 'A record, the same as in REST.', schema: ref('Record') },
  progress: {
    meaning: 'The cursors of the subscriptions. Sent after silence, and before the gateway closes a connection.',
    schema: progressSchema,
  },
  gap: { meaning: 'Records are lost. The subscription continues at the next existing record.', schema: gapSchema },
}

/** By type. Records are sent without a type, for which an EventSource uses `message`. */
export const events: Readonly<Record<string, StreamMessage>> = {
  ready: { meaning: 'The first event: `topics`, each with its first cursor, and `heartbeatMs`.', schema: startSchema },
  message: {
    meaning: 'A record, the same as in REST. It has no `event` line; an EventSource uses this type then.',
    schema: ref('Record'),
  },
  progress: {
    meaning: 'The cursors of the stream. Sent after silence, with a comment, and before the gateway ends a stream.',
    schema: progressSchema,
  },
  gap: { meaning: 'Records are lost. The stream continues at the next existing record.', schema: gapSchema },
  stream_error: {
    meaning: `Why the stream ends, as \`code\` and \`detail\`: ${streamErrorCodes.map((code) => `\`${code}\``).join(', ')}.`,
    schema: object({ code: { enum: streamErrorCodes }, detail: { type: 'string' } }),
  },
}
