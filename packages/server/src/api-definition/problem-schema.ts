import type { JsonSchema, PositionLoss } from '@headrace/catalog'

/** Reasons for which the records at a position no longer exist. */
export const lossReasons: readonly PositionLoss[] = ['retention', 'recreated', 'truncated']

/** A problem document (RFC 9457). */
export const problemSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string', description: 'the text of the status' },
    status: { type: 'integer', description: 'the HTTP status' },
    code: { type: 'string', description: 'the stable code of the refusal. Programs decide by it' },
    detail: { type: 'string', description: 'what was found, what is allowed, what to do' },
    requestId: { type: 'string', description: 'the id of the request in the log; also in the header `X-Request-Id`' },
    parameter: { type: 'string', description: 'the invalid parameter' },
    topic: { type: 'string', description: 'the topic' },
    earliest: {
      $ref: '#/components/schemas/Cursor',
      description:
        'the cursor to continue from: the first existing record, and in partitions without a loss the requested place',
    },
    reason: { enum: lossReasons, description: 'why the records at the position no longer exist' },
    retryAfterMs: { type: 'number', minimum: 0, description: 'time until the next request is allowed, in ms' },
  },
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
}
