import type { JsonSchema } from '@headrace/catalog'

/** The name of a topic. */
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
    description: 'who publishes it: `owner`, `package`, `version`, and `title` where there is one',
  },
  message: { type: 'string', description: 'full name of the protobuf message that it carries' },
  key: { type: 'string', description: 'the field that is the record key, where one is' },
  time: { type: 'string', description: 'the field that is the record time, where one is' },
  bytes: { enum: ['hex', 'base64'], description: 'how `bytes` fields read in JSON: `hex` (`0x…`) or `base64`' },
  partitions: { type: 'integer', minimum: 1, description: 'how many partitions it has' },
  successor: {
    $ref: '#/components/schemas/TopicName',
    description: 'the topic that took over from it, where there is one that the key may read',
  },
}
const summaryRequired = ['topic', 'connector', 'message', 'bytes', 'partitions']

/** A topic as it is listed. */
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

/** A topic as it is described. */
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
        'of each partition the offset of the `earliest` record that is there, and the `end`: the offset that comes next',
    },
    earliestCursor: { $ref: '#/components/schemas/Cursor', description: 'the place before the earliest record' },
    headCursor: { $ref: '#/components/schemas/Cursor', description: 'the place after the last one' },
    proto: { type: 'string', description: 'its schema as a .proto file, with those that it imports' },
    descriptors: {
      type: 'string',
      contentEncoding: 'base64',
      description: 'the same as a serialized `google.protobuf.FileDescriptorSet`, in base64',
    },
    jsonSchema: {
      type: 'object',
      description: 'JSON Schema (draft 2020-12) of the `value` of its records, where that is not `null`',
    },
  },
  required: [...summaryRequired, 'bounds', 'earliestCursor', 'headCursor', 'proto', 'descriptors', 'jsonSchema'],
}
