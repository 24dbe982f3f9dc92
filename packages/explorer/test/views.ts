import { nothing, notices, transfers } from './ledger/ledger.ts'

/** A view of the page, or a state of one. */
export interface View {
  readonly name: string
  readonly place: string
  /** A text that it shows when its data is there. */
  readonly shows: string | RegExp
}

export const views: readonly View[] = [
  { name: 'topics', place: '/topics', shows: 'ledger_Transfer' },
  { name: 'topic', place: `/topics/${transfers}`, shows: 'Live' },
  { name: 'topic, log', place: `/topics/${transfers}?view=log`, shows: 'append' },
  { name: 'topic, wrong filter', place: `/topics/${transfers}?filter=value.x`, shows: 'there is no field' },
  { name: 'topic, history', place: `/topics/${notices}?at=earliest`, shows: 'History' },
  { name: 'topic, empty', place: `/topics/${nothing}`, shows: 'No records here' },
  { name: 'topic, schema', place: `/topics/${transfers}/schema`, shows: 'A movement of money' },
  { name: 'topic, use it', place: `/topics/${transfers}/use`, shows: 'Python' },
  { name: 'connectors', place: '/connectors', shows: 'Ledger of an example bank' },
  { name: 'usage', place: '/usage', shows: 'Records sent' },
  { name: 'api', place: '/api', shows: 'POST' },
  { name: 'no such page', place: '/nowhere', shows: 'There is no such page' },
]
