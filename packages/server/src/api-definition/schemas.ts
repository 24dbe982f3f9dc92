import type { JsonSchema } from '@headrace/catalog'
import { cursorSchema } from './position-schema.ts'
import { problemSchema } from './problem-schema.ts'
import { pageSchema, recordSchema } from './record-schema.ts'
import { topicListSchema, topicNameSchema, topicSchema, topicSummarySchema } from './topic-schema.ts'
import { usageCountsSchema, usageSchema } from './usage-schema.ts'

/** What is sent, by the names under which both documents have it: `#/components/schemas/<name>`. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Cursor: cursorSchema,
  TopicName: topicNameSchema,
  Record: recordSchema,
  Page: pageSchema,
  TopicSummary: topicSummarySchema,
  TopicList: topicListSchema,
  Topic: topicSchema,
  UsageCounts: usageCountsSchema,
  Usage: usageSchema,
  Problem: problemSchema,
}
