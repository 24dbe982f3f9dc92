import type { JsonSchema } from '@headrace/catalog'

const count: JsonSchema = { type: 'integer', minimum: 0 }

/** What a key has used in some time. */
const countProperties = {
  requests: {
    ...count,
    description:
      'REST requests, openings of WebSocket and SSE connections, and calls over WebSocket or messages that are none, within ' +
      'the limits',
  },
  refused: {
    ...count,
    description: 'the same where they were turned away: over a limit of the key, or from an origin that is not its own',
  },
  records: { ...count, description: 'records sent; one that several connections read counts for each' },
  bytes: { ...count, description: 'bytes sent, with the headers and frames of the protocols, without those of TLS' },
  connectionSeconds: {
    ...count,
    description: 'seconds for which WebSocket and SSE connections were open, all added up',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>

export const usageCountsSchema: JsonSchema = {
  type: 'object',
  properties: countProperties,
  required: Object.keys(countProperties),
}

const time: JsonSchema = { type: 'string', format: 'date-time' }

export const usageSchema: JsonSchema = {
  type: 'object',
  properties: {
    key: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id', 'name'],
      description: 'the `id` of the key, which is no secret, and its `name`',
    },
    from: { ...time, description: 'beginning of the first hour' },
    to: { ...time, description: 'where it ends: an hour that begins then or later is left out' },
    total: { $ref: '#/components/schemas/UsageCounts', description: 'what was used in all of them' },
    hours: {
      type: 'array',
      items: {
        type: 'object',
        properties: { hour: time, ...countProperties },
        required: ['hour', ...Object.keys(countProperties)],
      },
      description: 'the same of each `hour` in which anything was used, the oldest first',
    },
  },
  required: ['key', 'from', 'to', 'total', 'hours'],
}
