import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { DataQuery } from './data-endpoint.ts'
import type { DataRange } from './data-range.ts'

/** Everything in a query that changes a page, besides its bounds. */
function shapeOf({ order, limit, view, continued, filter, fields, permitted }: DataQuery): string {
  const selected = filter ?? fields ?? permitted
  const selection = selected === undefined ? '' : JSON.stringify([filter, fields, permitted])
  return `${continued ? 'next' : 'first'} ${order} ${view} ${limit} ${selection}`
}

/**
 * Of requests for the same records. The bounds in the URL decide whether a page can be sealed, even if others name the
 * same places.
 */
export function nameOfRange(range: DataRange, query: DataQuery, generation: number): string {
  const { topic, from, to, canonical, asOf, head } = range
  const places = [from, to, asOf ?? [], query.continued ? [] : head.partitions].map(placesText)
  return `${nameOfUrl(topic, query, generation)} ${canonical ? 'canonical' : 'log'} ${places.join(' ')}`
}

/** Of requests with the same URL, if it has a cursor. */
export function nameOfUrl({ name, id }: ServedTopic, query: DataQuery, generation: number): string {
  const { cursor = '', end = '' } = query.continued ?? {}
  return `${generation} ${name} ${id} ${shapeOf(query)} ${cursor} ${end}`
}

function placesText(places: readonly Place[]): string {
  let text = ''
  for (const { offset, seq } of places) text += `${offset}/${seq},`
  return text
}
