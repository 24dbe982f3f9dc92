import { adoptedFormats, cursorLimit, type JsonSchema, type PositionLoss } from '@headrace/catalog'
import { quotaNames } from '../access/keys/api-key.ts'
import { mostReverts } from '../activity/newest-reverts.ts'
import { mostIntervals } from '../activity/rate.ts'

export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { readonly optional?: readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

export function ref(name: string, description?: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}`, ...(description !== undefined && { description }) }
}

const string: JsonSchema = { type: 'string' }
const text = (description: string): JsonSchema => ({ ...string, description })
const base64 = (description: string): JsonSchema => ({ type: 'string', contentEncoding: 'base64', description })
const count: JsonSchema = { type: 'integer', minimum: 0 }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const stringOrNull: JsonSchema = { type: ['string', 'null'] }
const wholeNumber: JsonSchema = { type: 'string', pattern: '^(0|[1-9]\\d*)$' }
const wholeNumberOrNull: JsonSchema = { ...wholeNumber, type: ['string', 'null'] }

const number: JsonSchema = { type: 'number', minimum: 0 }
const numberOrNull: JsonSchema = { type: ['number', 'null'], minimum: 0 }
const connector = object({ owner: string, package: string, version: string, title: string }, { optional: ['title'] })

function rate(of: 'records' | 'units'): JsonSchema {
  return object({
    perSecond: number,
    seconds: number,
    [of]: { type: 'array', items: count, maxItems: mostIntervals },
  })
}

const summaryProperties: Readonly<Record<string, JsonSchema>> = {
  topic: ref('TopicName', 'its name'),
  connector: {
    ...connector,
    type: ['object', 'null'],
    description:
      'its connector: `owner`, `package`, `version`, and `title` if it has one. `null` for an adopted topic, which other ' +
      'programs write',
  },
  instance: { ...stringOrNull, description: 'the connector instance that writes it. `null` for an adopted topic' },
  format: {
    enum: adoptedFormats,
    description: 'of the values on the queue: `protobuf`, or for an adopted topic also `json` or `avro`',
  },
  message: {
    ...stringOrNull,
    description: 'full name of its protobuf message, or of its Avro type. `null` if its values have no named type',
  },
  key: text('the field that holds the record key, if any'),
  time: text('the field that holds the record time, if any'),
  bytes: { enum: ['hex', 'base64'], description: 'how `bytes` fields are written in JSON: `hex` (`0x…`) or `base64`' },
  partitions: { type: 'integer', minimum: 1, description: 'how many partitions it has' },
  successor: ref('TopicName', 'the topic that replaces it, if any that the key may read'),
  records: {
    ...count,
    type: ['integer', 'null'],
    description: 'how many records were published, removed ones included. `null` if it is not known',
  },
  newest: {
    ...object({ time, unit: wholeNumberOrNull }),
    type: ['object', 'null'],
    description: 'of the newest record the `time`, and the `unit` or `null`. `null` if the topic is empty',
  },
  rate: {
    ...rate('records'),
    description:
      'how fast records are published: `perSecond`, over the last minute, and `records`, published in each of the last ' +
      'intervals of `seconds`, the oldest first',
  },
  retention: {
    ...object({ ms: numberOrNull, bytes: numberOrNull }),
    type: ['object', 'null'],
    description:
      'how long records are kept: for `ms` milliseconds, and `bytes` of a partition at most. `null` in it: without this ' +
      'limit. `null` for an adopted topic',
  },
}
const optional = ['key', 'time', 'successor']

const countProperties: Readonly<Record<string, JsonSchema>> = {
  requests: {
    ...count,
    description:
      'REST requests, opened WebSocket and SSE connections, and calls and invalid messages over WebSocket, within the limits',
  },
  refused: { ...count, description: 'the same, refused because of a limit of the key or its origins' },
  records: { ...count, description: 'records sent; counted once for each connection' },
  bytes: { ...count, description: 'bytes sent, with the headers and frames of the protocols, without those of TLS' },
  connectionSeconds: {
    ...count,
    description: 'seconds for which WebSocket and SSE connections were open, in total',
  },
}

export const lossReasons: readonly PositionLoss[] = ['retention', 'recreated', 'truncated']

export const topicNamePattern = '^[A-Za-z0-9._-]{1,249}$'

/** At `#/components/schemas/<name>` in both documents. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Cursor: {
    type: 'string',
    description: 'A place between records, opaque. Use it as it was received.',
    pattern: '^A[Q-Za-v][A-Za-z0-9_-]*$',
    maxLength: cursorLimit,
  },
  TopicName: {
    type: 'string',
    description: 'The full name of a topic, e.g. `headrace.evm.1_0_0.ethereum_Block`.',
    pattern: topicNamePattern,
  },
  RegistrySchema: {
    description: 'A schema, in the form of the API of Confluent.',
    ...object(
      {
        subject: text('its subject, or one of them'),
        version: { type: 'integer', minimum: 1, description: 'its version in that subject' },
        id: { type: 'integer', minimum: 1, description: 'its id, which depends on its content only' },
        guid: { type: 'string', format: 'uuid', description: 'its GUID, which depends on its content only' },
        schemaType: { const: 'PROTOBUF' },
        schema: text('the text of the .proto file'),
        references: {
          type: 'array',
          items: object({ name: string, subject: string, version: { type: 'integer', minimum: 1 } }),
          description: 'the files that it imports, without those of Google',
        },
        maxId: { type: 'integer', minimum: 1, description: 'the greatest id' },
      },
      { optional: ['subject', 'version', 'id', 'references', 'maxId'] },
    ),
  },
  Record: {
    description: 'A record of a topic, the same in every protocol.',
    ...object(
      {
        topic: ref('TopicName', 'its topic'),
        partition: { ...count, description: 'its partition, from 0' },
        seq: {
          ...wholeNumberOrNull,
          description:
            'its number in the partition, from 0 without gaps: consecutive numbers prove that no record is missing. `null` ' +
            'if the record was not written by a Headrace connector',
        },
        unit: { ...wholeNumberOrNull, description: 'number of its unit: the records published in one transaction' },
        offset: { ...wholeNumber, description: 'its offset in the partition; offsets have gaps' },
        time: { ...time, description: 'RFC 3339, in UTC; never decreases in a partition, except in an adopted topic' },
        key: {
          type: ['string', 'null'],
          description: "the record key: text, an integer in decimal, or bytes as the topic's setting says",
        },
        op: { enum: ['append', 'revert'], description: '`append`, or `revert` if it reverts a record' },
        reverts: { ...wholeNumber, description: 'of a revert: the seq of the reverted record' },
        value: {
          description:
            'the message: fields named as in the .proto, 64-bit integers as strings, `bytes` as `0x…` or base64. ' +
            '`GET /api/v1/topics/<topic>` gives its JSON Schema. `null` if there is none',
        },
        error: {
          ...object(
            { code: { enum: ['decode_failed', 'produce_failed'] }, message: string },
            { optional: ['message'] },
          ),
          description:
            'why there is no value: the connector could not publish the message (`produce_failed`), or the bytes do not match ' +
            'the registered schema (`decode_failed`, with a `message` that says what was found)',
        },
        raw: base64('the bytes that could not be decoded'),
        skipped: {
          type: 'integer',
          minimum: 0,
          description:
            'with a filter or fields: how many records of the partition lie between it and the one before, or the start of reading. `seq` of the one before + `skipped` + 1 is its `seq`',
        },
        cursor: ref('Cursor', 'the place after it'),
      },
      { optional: ['reverts', 'error', 'raw', 'skipped'] },
    ),
  },
  NextSeqs: {
    type: 'array',
    items: wholeNumberOrNull,
    description: 'for each partition, the `seq` of the next record in the requested order; `null`: not known',
  },
  Page: object(
    {
      topic: ref('TopicName', 'the requested topic'),
      data: { type: 'array', items: ref('Record'), description: 'records, in the requested order' },
      nextCursor: ref('Cursor', 'the cursor of the next page, in the same order. Always present'),
      nextSeqs: ref('NextSeqs', 'with a filter or fields: the seqs at `nextCursor`'),
      headCursor: ref(
        'Cursor',
        'the end of the topic at the time of the request. A subscription that begins at it has neither a gap nor an overlap. ' +
          'Only in a first page, which is requested without `cursor`',
      ),
      hasMore: { type: 'boolean', description: 'whether there is a next page' },
    },
    { optional: ['nextSeqs', 'headCursor'] },
  ),
  TopicSummary: object(summaryProperties, { optional }),
  TopicList: object({ topics: { type: 'array', items: ref('TopicSummary') } }),
  Topic: object(
    {
      ...summaryProperties,
      bounds: {
        type: 'array',
        items: object({ partition: count, earliest: wholeNumber, end: wholeNumber }),
        description:
          'for each partition the offset of the `earliest` existing record, and `end`: the offset of the next record',
      },
      earliestCursor: ref('Cursor', 'the place before the earliest record'),
      headCursor: ref('Cursor', 'the place after the last one'),
      proto: text('of protobuf: its schema as .proto text, with its comments and imports'),
      descriptors: base64('of protobuf: the same as a serialized `google.protobuf.FileDescriptorSet`, in base64'),
      avro: text('of Avro: its schema, as JSON'),
      jsonSchema: {
        type: 'object',
        description:
          'JSON Schema (draft 2020-12) of the `value` of its records, unless that is `null`. Comments are its descriptions. ' +
          'Without constraints if an adopted topic has no schema',
      },
    },
    { optional: [...optional, 'proto', 'descriptors', 'avro'] },
  ),
  Connector: object({
    connector: { ...connector, description: '`owner`, `package`, `version`, and `title` if it has one' },
    instance: text('the name of the instance'),
    topics: { type: 'array', items: ref('TopicName'), description: 'its topics that the key may read' },
    unit: { ...wholeNumberOrNull, description: 'number of its newest unit. `null` if it has published nothing' },
    position: { description: 'the checkpoint of that unit: where the source continues, in its own form' },
    final: {
      ...object({ unit: wholeNumber }),
      type: ['object', 'null'],
      description: 'the `unit` up to which nothing can be reverted any more, or `null`',
    },
    lastCommit: {
      ...time,
      type: ['string', 'null'],
      description: 'when that unit was published, by the clock of the connector. `null` if it is not known',
    },
    source: {
      ...object({ position: { type: 'number' }, head: { type: 'number' }, lag: number }),
      type: ['object', 'null'],
      description:
        'its `position`, the `head` of its source, and the `lag` between them at that time, in the unit of the source. ' +
        '`null` if it does not report them',
    },
    endpoints: {
      type: 'array',
      items: object({ endpoint: string, up: { type: 'boolean' } }),
      description: 'the endpoints of its source, and whether each was `up` at that time',
    },
    rate: {
      ...rate('units'),
      description: 'as that of a topic, with `units` instead of records',
    },
    reorganisations: {
      type: 'array',
      maxItems: mostReverts,
      items: object({ time, topic: ref('TopicName'), partition: count, first: wholeNumber, last: wholeNumber }),
      description:
        'its newest reverts, the newest first: when, and from the `first` reverted seq to the `last` revert in a partition',
    },
  }),
  ConnectorList: object({ connectors: { type: 'array', items: ref('Connector') } }),
  UsageCounts: object(countProperties),
  Quota: object(
    {
      ...Object.fromEntries(quotaNames.map((name) => [name, object({ limit: count, left: count })])),
      resetsAt: { ...time, description: 'when all of it is available again' },
    },
    { optional: quotaNames },
  ),
  Usage: object(
    {
      key: {
        ...object({ id: string, name: string }),
        description: 'the `id` of the key, which is not a secret, and its `name`',
      },
      from: { ...time, description: 'beginning of the first hour' },
      to: { ...time, description: 'end of the range: hours that begin at this time or later are not included' },
      total: ref('UsageCounts', 'the sum of all hours'),
      hours: {
        type: 'array',
        items: object({ hour: time, ...countProperties }),
        description: 'the counts of each `hour` with any use, the oldest first',
      },
      quota: ref(
        'Quota',
        'for each limit of the monthly quota, if there is one: the `limit`, what is `left`, and `resetsAt`',
      ),
    },
    { optional: ['quota'] },
  ),
  Token: object({
    token: text('the token, a JSON Web Token'),
    expires: { ...time, description: 'when it expires' },
  }),
  /** RFC 9457. */
  Problem: object(
    {
      type: { const: 'about:blank' },
      title: text('the text of the status'),
      status: { type: 'integer', description: 'the HTTP status' },
      code: text('the stable code of the refusal. Programs decide by it'),
      detail: text('what was found, what is allowed, what to do'),
      requestId: text('the id of the request in the log; also in the header `X-Request-Id`'),
      parameter: text('the invalid parameter'),
      column: { type: 'integer', minimum: 1, description: 'where the filter is not valid, from 1' },
      topic: text('the topic'),
      earliest: ref(
        'Cursor',
        'the cursor to continue from: the first existing record, and in partitions without a loss the requested place',
      ),
      reason: { enum: lossReasons, description: 'why the records at the position no longer exist' },
      retryAfterMs: { type: 'number', minimum: 0, description: 'time until the next request is allowed, in ms' },
      quota: { enum: quotaNames, description: 'what the key has used up' },
      resetsAt: { ...time, description: 'when the quota is available again' },
      error_code: {
        type: 'integer',
        description: 'of the schema registry: a code of Confluent such as 40403, or the status',
      },
      message: text('of the schema registry: the same as `detail`'),
    },
    {
      optional: [
        ...['parameter', 'column', 'topic', 'earliest', 'reason', 'retryAfterMs', 'quota', 'resetsAt'],
        ...['error_code', 'message'],
      ],
    },
  ),
}

const keywords = '(earliest|latest|final)'
const ago = '-\\d{1,9}[smhd]'
const last = 'last:([1-9]\\d{0,3}|10000)'
const date = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const clock = '([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d{1,9})?'
const zone = '([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

/** Unlike `parsePosition`, the pattern accepts a day that its month does not have. */
export function positionSchema({ isStart }: { readonly isStart: boolean }): JsonSchema {
  const forms = [keywords, ago, `${date}[Tt]${clock}${zone}`, ...(isStart ? [last] : [])]
  return {
    description: 'A cursor, a keyword, an RFC 3339 time or a time ago.',
    anyOf: [ref('Cursor'), { type: 'string', pattern: `^(${forms.join('|')})$` }],
  }
}

export const timeSchema: JsonSchema = {
  type: 'string',
  description: 'An RFC 3339 time or a time ago.',
  pattern: `^(${ago}|${date}[Tt]${clock}${zone})$`,
}
