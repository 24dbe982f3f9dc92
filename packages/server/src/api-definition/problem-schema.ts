import type { JsonSchema, PositionLoss } from '@headrace/catalog'

/** Why records are no longer where a reader was. */
export const lossReasons: readonly PositionLoss[] = ['retention', 'recreated', 'truncated']

/** A problem document (RFC 9457). */
export const problemSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string', description: 'the text that belongs to the status' },
    status: { type: 'integer', description: 'the HTTP status' },
    code: { type: 'string', description: 'which refusal it is. Stable: decide by this' },
    detail: { type: 'string', description: 'what was found, what is allowed, what to do. For people' },
    requestId: { type: 'string', description: 'finds the request in the log; also in the header `X-Request-Id`' },
    parameter: { type: 'string', description: 'which parameter is wrong' },
    topic: { type: 'string', description: 'which topic it is about' },
    earliest: {
      $ref: '#/components/schemas/Cursor',
      description:
        'of a lost position: the cursor to continue from. The first record that is there, and in partitions that have lost nothing the place of the position',
    },
    reason: { enum: lossReasons, description: 'of a lost position: what has happened' },
    retryAfterMs: { type: 'number', minimum: 0, description: 'time until a request is allowed again' },
  },
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
}
