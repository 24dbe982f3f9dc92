import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { expect } from 'vitest'
import { openEvents } from '../clients/event-stream.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { numbers, type PageJson, type RecordJson, seqsOf } from '../clients/shapes.ts'
import { returns, type ServedShop } from '../shop/served-shop.ts'

/** Clients that read over every protocol during an attack. */
export interface Watch {
  /** Stops publishing, and fails unless each client has received every record once and in order. */
  finish(): Promise<void>
}

const unitRecords = 3
const pauseMs = 30

/** Publishes returns continuously, reads them over WebSocket and SSE, and requests each newest one over REST. */
export async function watchShop(shop: ServedShop): Promise<Watch> {
  const client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [returns], from: 'earliest' })
  const stream = await openEvents(`${shop.url}/sse/v1?topics=${returns}&from=earliest&api_key=${shop.key}`)
  // One connection that stays open, like those of the other clients.
  const pool = new Pool(shop.url, { connections: 1 })
  let finished = false
  let published = 0
  const work = publish()
  // Reported when the watch ends.
  work.catch(() => undefined)
  return {
    async finish() {
      finished = true
      try {
        await work
        const all = numbers(0, published)
        expect(seqsOf(await client.notifications('subscription', published)), 'over WebSocket').toEqual(all)
        const events = await stream.take<RecordJson>('message', published)
        expect(seqsOf(events.map(({ data }) => data)), 'over SSE').toEqual(all)
      } finally {
        await pool.destroy()
        client[Symbol.dispose]()
        stream[Symbol.dispose]()
      }
    },
  }

  async function publish(): Promise<void> {
    while (!finished) {
      await shop.publish(returns, unitRecords)
      published += unitRecords
      expect(seqsOf((await newest()).data), 'over REST').toEqual([published - 1])
      await delay(pauseMs)
    }
  }

  async function newest(): Promise<PageJson> {
    const path = `/api/v1/data/${returns}?limit=1&api_key=${shop.key}`
    const { body } = await pool.request({ method: 'GET', path })
    return (await body.json()) as PageJson
  }
}
