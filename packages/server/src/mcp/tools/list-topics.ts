import { countFitting, shorten } from '../bounded-answer.ts'
import { defineTool, type Tool } from '../tool.ts'
import { count, text } from '../tool-parameter.ts'
import { readJson } from './read-json.ts'
import { matchesSearch } from './search-text.ts'
import { notesSchema, summarize, summarySchema, type TopicSummary } from './topic-summary.ts'

const texts = { characters: 300, elements: 20 }

export const listTopics: Tool = defineTool({
  name: 'list_topics',
  title: 'List topics',
  description:
    'Lists the topics that this key may read: name, connector, and, where known, number of records, newest record and rate. Call it first.',
  parameters: {
    search: text('only topics whose name, message or connector contains all of these words', 200),
    after: text('only topics after this name: continues a list that was cut', 249),
    limit: count('how many topics', { most: 200, absent: 50 }),
  },
  result: {
    type: 'object',
    properties: {
      topics: { type: 'array', items: summarySchema, description: 'in order of name' },
      matching: { type: 'integer', description: 'how many topics match' },
      notes: notesSchema,
    },
    required: ['topics', 'matching', 'notes'],
  },
  async call({ search, after = '', limit }, { request }) {
    const { topics } = await readJson<{ topics: readonly TopicSummary[] }>(request, 'topics', '/api/v1/topics')
    const matching = topics.filter(({ topic, message, connector }) =>
      matchesSearch(search, [topic, message, ...Object.values(connector)]),
    )
    const following = matching.filter(({ topic }) => topic > after)
    const wanted = following.slice(0, limit).map((topic) => shorten(summarize(topic), texts).value)
    const shown = wanted.slice(0, countFitting(wanted))
    const left = following.length - shown.length
    const last = shown.at(-1)?.topic
    return {
      topics: shown,
      matching: matching.length,
      notes: left > 0 ? [`${left} more topics match. Narrow them with search, or continue with after: "${last}".`] : [],
    }
  },
})
