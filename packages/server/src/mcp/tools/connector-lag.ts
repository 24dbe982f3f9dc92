import { countFitting, shorten } from '../bounded-answer.ts'
import { defineTool, type Tool } from '../tool.ts'
import { text } from '../tool-parameter.ts'
import { readJson } from './read-json.ts'
import { matchesSearch } from './search-text.ts'
import { notesSchema } from './topic-summary.ts'

/** What `GET /api/v1/connectors` has of each connector instance. */
interface ConnectorState {
  readonly connector: Readonly<Record<string, string>>
  readonly instance: string
  readonly topics: readonly string[]
  readonly rate?: { readonly perSecond: number }
  readonly [member: string]: unknown
}

const texts = { characters: 300, elements: 20 }
const positionCharacters = 1000

export const connectorLag: Tool = defineTool({
  name: 'connector_lag',
  title: 'State and lag of connectors',
  description:
    'Reports the connectors that write the topics of this key: position, lag behind the source, last commit, endpoints, newest reorganisations. Call it to judge how fresh the data is.',
  parameters: { search: text('only connectors whose name, instance or topics contain all of these words', 200) },
  result: {
    type: 'object',
    properties: {
      connectors: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            connector: { type: 'object', description: 'owner, package, version and title' },
            instance: { type: 'string' },
            topics: { type: 'array', items: { type: 'string' } },
            unit: { type: ['string', 'null'], description: 'number of the last committed unit; null: none' },
            position: { description: "the connector's own checkpoint; as text that is cut, if it is long" },
            final: { type: ['object', 'null'], description: 'the newest unit that cannot be reverted' },
            lastCommit: { type: ['string', 'null'], description: 'time of the last commit' },
            source: { type: ['object', 'null'], description: 'position, head and lag of the source at that time' },
            endpoints: { type: 'array', description: 'of the source, and whether each was up at that time' },
            rate_per_second: { type: 'number', description: 'units per second in the last minute' },
            reorganisations: { type: 'array', description: 'its newest reverts, at most 20' },
          },
          required: ['connector', 'instance', 'topics'],
        },
      },
      notes: notesSchema,
    },
    required: ['connectors', 'notes'],
  },
  async call({ search }, { request }) {
    const { connectors } = await readJson<{ connectors: readonly ConnectorState[] }>(
      request,
      'connectors',
      '/api/v1/connectors',
    )
    const matching = connectors.filter(({ connector, instance, topics }) =>
      matchesSearch(search, [...Object.values(connector), instance, ...topics]),
    )
    const wanted = matching.map(({ rate, position, ...state }) => {
      const known = { ...state, ...(rate && { rate_per_second: rate.perSecond }) }
      return { ...shorten(known, texts).value, position: shortenPosition(position) }
    })
    const shown = wanted.slice(0, countFitting(wanted))
    const left = matching.length - shown.length
    return {
      connectors: shown,
      notes: left > 0 ? [`${left} more connectors match. Narrow them with search.`] : [],
    }
  },
})

/** A connector decides how long its checkpoint is. */
function shortenPosition(position: unknown): unknown {
  const json = JSON.stringify(position ?? null)
  const limits = { characters: positionCharacters, elements: 1 }
  return json.length <= positionCharacters ? position : shorten(json, limits).value
}
