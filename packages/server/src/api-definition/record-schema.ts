import type { JsonSchema } from '@headrace/catalog'

const wholeNumber: JsonSchema = { type: 'string', pattern: '^(0|[1-9]\\d*)$' }
const wholeNumberOrNull: JsonSchema = { type: ['string', 'null'], pattern: '^(0|[1-9]\\d*)$' }

/** A record, as REST, WebSocket and SSE give it. */
export const recordSchema: JsonSchema = {
  type: 'object',
  description: 'A record of a topic, the same in every protocol.',
  properties: {
    topic: { $ref: '#/components/schemas/TopicName', description: 'its topic' },
    partition: { type: 'integer', minimum: 0, description: 'its partition, from 0' },
    seq: {
      ...wholeNumberOrNull,
      description:
        'its number in the partition, from 0 without holes: where the next one is there, nothing is missing. `null` ' +
        'where no connector of Headrace wrote it',
    },
    unit: {
      ...wholeNumberOrNull,
      description: 'number of the unit it belongs to: what was published whole, in one transaction',
    },
    offset: { ...wholeNumber, description: 'where it lies in the partition; offsets have holes' },
    time: { type: 'string', format: 'date-time', description: 'RFC 3339, in UTC; never goes back in a partition' },
    key: {
      type: ['string', 'null'],
      description: "the record key: text, an integer in decimal, or bytes as the topic's setting says",
    },
    op: { enum: ['append', 'revert'], description: '`append`, or `revert` where it takes a record back' },
    reverts: { ...wholeNumber, description: 'of a revert: the seq of the record that it takes back' },
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
    raw: { type: 'string', contentEncoding: 'base64', description: 'the bytes that could not be decoded, in base64' },
    cursor: { $ref: '#/components/schemas/Cursor', description: 'the place after it' },
  },
  required: ['topic', 'partition', 'seq', 'unit', 'offset', 'time', 'key', 'op', 'value', 'cursor'],
}

/** A page of records. */
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
      description: 'where the next page goes on, in the same order. Always there',
    },
    headCursor: {
      $ref: '#/components/schemas/Cursor',
      description: 'the end of the topic at the request. A subscription from it leaves no hole and no overlap',
    },
    hasMore: { type: 'boolean', description: 'whether there is a next page' },
  },
  required: ['topic', 'data', 'nextCursor', 'headCursor', 'hasMore'],
}
