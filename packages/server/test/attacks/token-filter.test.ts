import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEvents } from '../clients/event-stream.ts'
import { connect } from '../clients/json-rpc-client.ts'
import type { PageJson, RecordJson } from '../clients/shapes.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { forge } from './forge-token.ts'

let shop: ServedShop
/** It may read every fifth order. No other may reach its reader in any form. */
let token: string
let cursors: readonly string[]
const noteOf = (number: number) => ({ note: number % 5 === 0 ? 'mine' : 'secret' })
beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 4; n++) await shop.publish(orders, 25, noteOf)
  token = forge(shop.key, { claims: { filter: 'value.note == "mine"' } })
  const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=30`)
  cursors = [data[0]!.cursor, data[27]!.cursor]
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

/** The filter of a request, and what it gives of the records that the token may read. */
const attempts: readonly (readonly [string, 'all' | 'none' | 'refused'])[] = [
  ['true', 'all'],
  ['value.note != "mine"', 'none'],
  ['value.note == "mine" || value.note != "mine"', 'all'],
  ['value.note != "mine" || true', 'all'],
  ['!(value.note == "mine")', 'none'],
  ['value.note.startsWith("")', 'all'],
  ['has(value.note) || !has(value.note)', 'all'],
  ['value.number >= 0', 'all'],
  ['true\n||\ntrue', 'all'],
  ['true // or', 'all'],
  ['true) || (true', 'refused'],
  [') || true || (', 'refused'],
  ['true || value.none == 1', 'refused'],
  ['"" == "', 'refused'],
  ['// true', 'refused'],
  ['"true"', 'refused'],
]

const ranges: readonly string[] = [
  ...['order=desc', 'order=asc', 'order=asc&view=log', 'order=asc&view=log&limit=7', 'fields=note,number'],
  ...['format=ndjson', 'format=ndjson&order=asc&view=log', 'to=final', 'from=last:40'],
]

test.each(attempts)('the filter %j of a request gives %s of the records of its token', async (filter, expected) => {
  const added = `&filter=${encodeURIComponent(filter)}`
  const targets = [
    ...ranges.map((query) => `/api/v1/data/${orders}?${query}`),
    ...cursors.map((cursor) => `/api/v1/data/${orders}?order=asc&view=log&limit=3&cursor=${cursor}`),
  ]
  for (const target of targets.flatMap((target) => [target, target + added])) {
    // The gateway has the page for the key in its cache then.
    const whole = await shop.get(target)
    const hasOthers = (await whole.text()).includes('secret')
    const tag = whole.headers.get('etag') ?? '"none"'
    for (const headers of [{}, { 'if-none-match': tag }]) {
      const response = await shop.get(target, { ...bearer(token), ...headers })
      expect([target, await response.text()]).toEqual([target, expect.not.stringContaining('secret')])
      if (hasOthers) expect([target, response.status]).toEqual([target, 200])
    }
  }
  const response = await shop.get(`/api/v1/data/${orders}?limit=100${added}`, bearer(token))
  const { data } = (await response.json()) as Partial<PageJson>
  expect(data?.map(({ value }) => value.note)).toEqual(notes(expected, 20))
})

test.each(attempts)('over streams, the filter %j gives %s of the records of its token', async (filter, expected) => {
  using client = await connect(`${shop.url}/ws/v1`, bearer(token))
  const { error } = await client.call('subscribe', { topics: [orders], from: 'last:50', filter })
  const query = `topics=${orders}&from=last:50&filter=${encodeURIComponent(filter)}`
  using stream = await openEvents(`${shop.url}/sse/v1?${query}`, bearer(token))
  expect([error === undefined, stream.response.status === 200]).toEqual(Array(2).fill(expected !== 'refused'))
  if (expected === 'refused') return
  const count = expected === 'all' ? 12 : 0
  await shop.publish(orders, 10, noteOf)
  const pushed = await client.notifications('subscription', count)
  const events = await stream.take<RecordJson>('message', count)
  for (const records of [pushed, events.map(({ data }) => data)])
    expect(records.map(({ value }) => value.note)).toEqual(notes(expected, count))
  // Nothing else was sent before the answer to this.
  await client.call('unsubscribe')
  expect(JSON.stringify(client.messages)).not.toContain('secret')
})

function notes(expected: 'all' | 'none' | 'refused', count: number): string[] | undefined {
  return expected === 'refused' ? undefined : Array(expected === 'all' ? count : 0).fill('mine')
}
