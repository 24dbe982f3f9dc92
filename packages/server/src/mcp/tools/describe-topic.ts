import type { JsonSchema } from '@headrace/catalog'
import { countFitting, shorten } from '../bounded-answer.ts'
import { defineTool, type Tool } from '../tool.ts'
import { requiredText, text } from '../tool-parameter.ts'
import { readJson, topicPath } from './read-json.ts'
import { matchesSearch } from './search-text.ts'
import { notesSchema, summarize, summaryProperties, type TopicSummary } from './topic-summary.ts'
import { valueFields } from './value-fields.ts'

interface TopicDescription extends TopicSummary {
  readonly bytes: string
  readonly bounds: readonly { readonly partition: number; readonly earliest: string; readonly end: string }[]
  readonly jsonSchema: JsonSchema
  readonly retention?: { readonly ms: number | null; readonly bytes: number | null }
}

const texts = { characters: 600, elements: 1000 }
const boundsShown = 64
const aboutBytes = 8192
const fieldBytes = 18_432

export const describeTopic: Tool = defineTool({
  name: 'describe_topic',
  title: 'Describe a topic',
  description:
    'Describes one topic: the fields of its records with types and comments, its bounds, key, time and successor. Call it before filtering or naming fields.',
  parameters: {
    topic: requiredText('full name of the topic, from list_topics', 249),
    search: text('only fields whose path, type or comment contains all of these words', 200),
  },
  result: {
    type: 'object',
    properties: {
      ...summaryProperties,
      bytes: { type: 'string', description: 'how fields of bytes are written: hex or base64' },
      retention: { type: 'object', description: 'ms and bytes after which records are removed; null: no limit known' },
      bounds: {
        type: 'array',
        items: { type: 'object' },
        description: 'for each partition: the earliest existing offset, and the end: the offset of the next record',
      },
      fields: {
        type: 'array',
        items: {
          type: 'object',
          properties: { field: { type: 'string' }, type: { type: 'string' }, comment: { type: 'string' } },
          required: ['field', 'type'],
        },
        description: 'fields of value. In a filter, write value.FIELD. [] is a list, and {} a map',
      },
      notes: notesSchema,
    },
    required: ['topic', 'connector', 'message', 'partitions', 'bounds', 'fields', 'notes'],
  },
  async call({ topic, search }, { request }) {
    const described = await readJson<TopicDescription>(request, 'jsonSchema', topicPath('topics', topic))
    const { bytes, bounds, retention, jsonSchema } = described
    const about = { ...summarize(described), bytes, ...(retention && { retention }) }
    const matching = valueFields(jsonSchema).filter(({ field, type, comment }) =>
      matchesSearch(search, [field, type, comment]),
    )
    const wanted = matching.map((field) => shorten(field, texts))
    const fields = wanted.slice(
      0,
      countFitting(
        wanted.map(({ value }) => value),
        fieldBytes,
      ),
    )
    const left = matching.length - fields.length
    return {
      ...shorten(about, { ...texts, characters: aboutBytes / 16 }).value,
      bounds: bounds.slice(0, boundsShown),
      fields: fields.map(({ value }) => value),
      notes: [
        ...(left > 0 ? [`${left} of ${matching.length} fields are left out. Name some words with search.`] : []),
        ...(fields.some(({ isShortened }) => isShortened) ? ['Long comments are cut, with a mark.'] : []),
      ],
    }
  },
})
