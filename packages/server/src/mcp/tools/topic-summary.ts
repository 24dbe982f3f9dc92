import type { JsonSchema } from '@headrace/catalog'

/** What `GET /api/v1/topics` has of each topic. Later gateways may have more, and earlier ones have less. */
export interface TopicSummary {
  readonly topic: string
  readonly connector: Readonly<Record<string, string>>
  readonly message: string
  readonly key?: string
  readonly time?: string
  readonly partitions: number
  readonly successor?: string
  readonly instance?: string
  readonly records?: number | null
  readonly newest?: { readonly time: string; readonly unit: string | null } | null
  readonly rate?: { readonly perSecond: number }
}

export function summarize(summary: TopicSummary): Omit<TopicSummary, 'rate'> & { readonly rate_per_second?: number } {
  const { topic, connector, message, key, time, partitions, successor, instance, records, newest, rate } = summary
  const given = { topic, connector, instance, message, key, time, partitions, records, newest, successor }
  const known = Object.entries({ ...given, rate_per_second: rate?.perSecond }).filter(
    ([, value]) => value !== undefined,
  )
  return Object.fromEntries(known) as ReturnType<typeof summarize>
}

export const summaryProperties: Readonly<Record<string, JsonSchema>> = {
  topic: { type: 'string', description: 'its name' },
  connector: { type: 'object', description: 'owner, package, version and title of the connector that writes it' },
  instance: { type: 'string', description: 'which instance of the connector writes it' },
  message: { type: 'string', description: 'the protobuf message of its records' },
  key: { type: 'string', description: 'the field with the key of a record' },
  time: { type: 'string', description: 'the field with the time of a record' },
  partitions: { type: 'integer' },
  records: { type: ['integer', 'null'], description: 'how many were published, removed ones included; null: unknown' },
  newest: { type: ['object', 'null'], description: 'time and unit of the newest record; null: there is none' },
  rate_per_second: { type: 'number', description: 'records per second in the last minute' },
  successor: { type: 'string', description: 'the topic that replaces it: read that one' },
}

export const summarySchema: JsonSchema = {
  type: 'object',
  properties: summaryProperties,
  required: ['topic', 'connector', 'message', 'partitions'],
}

export const notesSchema: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'what this answer leaves out, and how to get it',
}
