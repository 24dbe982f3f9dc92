import type { JsonSchema } from '@headrace/catalog'

export const topicNameSchema: JsonSchema = {
  type: 'string',
  description: 'The full name of a topic, e.g. `headrace.evm.1_0_0.ethereum_Block`.',
  pattern: '^[A-Za-z0-9._-]{1,249}$',
}

const summaryProperties: Readonly<Record<string, JsonSchema>> = {
  topic: { $ref: '#/components/schemas/TopicName', description: 'its name' },
  connector: {
    type: 'object',
    properties: {
      owner: { type: 'string' },
      package: { type: 'string' },
      version: { type: 'string' },
      title: { type: 'string' },
    },
    required: ['owner', 'package', 'version'],
    description: 'its connector: `owner`, `package`, `version`, and `title` if it has one',
  },
  message: { type: 'string', description: 'full name of its protobuf message' },
  key: { type: 'string', description: 'the field that holds the record key, if any' },
  time: { type: 'string', description: 'the field that holds the record time, if any' },
  bytes: { enum: ['hex', 'base64'], description: 'how `bytes` fields are written in JSON: `hex` (`0x…`) or `base64`' },
  partitions: { type: 'integer', minimum: 1, description: 'how many partitions it has' },
  successor: {
    $ref: '#/components/schemas/TopicName',
    description: 'the topic that replaces it, if any that the key may read',
  },
}
const summaryRequired = ['topic', 'connector', 'message', 'bytes', 'partitions']

export const topicSummarySchema: JsonSchema = {
  type: 'object',
  properties: summaryProperties,
  required: summaryRequired,
}

export const topicListSchema: JsonSchema = {
  type: 'object',
  properties: { topics: { type: 'array', items: { $ref: '#/components/schemas/TopicSummary' } } },
  required: ['topics'],
}

const offset: JsonSchema = { type: 'string', pattern: '^(0|[1-9]\\d*)$' }

export const topicSchema: JsonSchema = {
  type: 'object',
  properties: {
    ...summaryProperties,
    bounds: {
      type: 'array',
      items: {
        type: 'object',
        properties: { partition: { type: 'integer', minimum: 0 }, earliest: offset, end: offset },
        required: ['partition', 'earliest', 'end'],
      },
      description:
        'for each partition the offset of the `earliest` existing record, and `end`: the offset of the next record',
    },
    earliestCursor: { $ref: '#/components/schemas/Cursor', description: 'the place before the earliest record' },
    headCursor: { $ref: '#/components/schemas/Cursor', description: 'the place after the last one' },
    proto: { type: 'string', description: 'its schema as .proto text, with its imports' },
    descriptors: {
      type: 'string',
      contentEncoding: 'base64',
      description: 'the same as a serialized `google.protobuf.FileDescriptorSet`, in base64',
    },
    jsonSchema: {
      type: 'object',
      description: 'JSON Schema (draft 2020-12) of the `value` of its records, unless that is `null`',
    },
  },
  required: [...summaryRequired, 'bounds', 'earliestCursor', 'headCursor', 'proto', 'descriptors', 'jsonSchema'],
}
