import type { JsonSchema } from '@headrace/catalog'

const wholeNumber: JsonSchema = { type: 'string', pattern: '^(0|[1-9]\\d*)$' }
const wholeNumberOrNull: JsonSchema = { type: ['string', 'null'], pattern: '^(0|[1-9]\\d*)$' }

export const recordSchema: JsonSchema = {
  type: 'object',
  description: 'A record of a topic, the same in every protocol.',
  properties: {
    topic: { $ref: '#/components/schemas/TopicName', description: 'its topic' },
    partition: { type: 'integer', minimum: 0, description: 'its partition, from 0' },
    seq: {
      ...wholeNumberOrNull,
      description:
        'its number in the partition, from 0 without gaps: consecutive numbers prove that no record is missing. `null` ' +
        'if the record was not written by a Headrace connector',
    },
    unit: {
      ...wholeNumberOrNull,
      description: 'number of its unit: the records published in one transaction',
    },
    offset: { ...wholeNumber, description: 'its offset in the partition; offsets have gaps' },
    time: { type: 'string', format: 'date-time', description: 'RFC 3339, in UTC; never decreases in a partition' },
    key: {
      type: ['string', 'null'],
      description: "the record key: text, an integer in decimal, or bytes as the topic's setting says",
    },
    op: { enum: ['append', 'revert'], description: '`append`, or `revert` if it reverts a record' },
    reverts: { ...wholeNumber, description: 'of a revert: the seq of the reverted record' },
    value: {
      description:
        'the message: fields named as in the .proto, 64-bit integers as texts, `bytes` as `0x…` or base64. ' +
        '`GET /api/v1/topics/<topic>` gives its JSON Schema. `null` where there is none',
    },
    error: {
      type: 'object',
      properties: { code: { enum: ['decode_failed', 'produce_failed'] } },
      required: ['code'],
      description:
        'why there is no value: the connector could not publish the message (`produce_failed`), or the bytes are none of ' +
        'the registered schema (`decode_failed`)',
    },
    raw: { type: 'string', contentEncoding: 'base64', description: 'the bytes that could not be decoded' },
    cursor: { $ref: '#/components/schemas/Cursor', description: 'the place after it' },
  },
  required: ['topic', 'partition', 'seq', 'unit', 'offset', 'time', 'key', 'op', 'value', 'cursor'],
}

export const pageSchema: JsonSchema = {
  type: 'object',
  properties: {
    topic: { $ref: '#/components/schemas/TopicName', description: 'the topic asked for' },
    data: {
      type: 'array',
      items: { $ref: '#/components/schemas/Record' },
      description: 'records, in the order asked for',
    },
    nextCursor: {
      $ref: '#/components/schemas/Cursor',
      description: 'the cursor of the next page, in the same order. Always present',
    },
    headCursor: {
      $ref: '#/components/schemas/Cursor',
      description:
        'the end of the topic at the time of the request. A subscription that begins at it has neither a gap nor an overlap',
    },
    hasMore: { type: 'boolean', description: 'whether there is a next page' },
  },
  required: ['topic', 'data', 'nextCursor', 'headCursor', 'hasMore'],
}
