import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { DataQuery } from './data-endpoint.ts'
import type { DataRange } from './data-range.ts'

/** Everything in a query that changes a page, besides its bounds. */
function shapeOf({ order, limit, view, continued, filter, fields, permitted }: DataQuery): string {
  const selected = filter ?? fields ?? permitted
  const selection = selected === undefined ? '' : JSON.stringify([filter, fields, permitted])
  return `${continued ? 'next' : 'first'} ${order} ${view} ${limit} ${selection}`
}

/** Of all requests for the same records. */
export function nameOfRange(range: DataRange, query: DataQuery, generation: number): string {
  const { topic, from, to, canonical, asOf, head } = range
  const places = [from, to, asOf ?? [], query.continued ? [] : head.partitions]
  const view = canonical ? 'canonical' : 'log'
  return `${generation} ${topic.name} ${topic.id} ${shapeOf(query)} ${view} ${places.map(placesText).join(' ')}`
}

/** Of requests with the same URL. */
export function nameOfUrl({ name, id }: ServedTopic, query: DataQuery, generation: number): string {
  const { cursor, end = '' } = query.continued!
  return `${generation} ${name} ${id} ${shapeOf(query)} ${cursor} ${end}`
}

function placesText(places: readonly Place[]): string {
  let text = ''
  for (const { offset, seq } of places) text += `${offset}/${seq},`
  return text
}
