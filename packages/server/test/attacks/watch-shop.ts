import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { expect } from 'vitest'
import { openEvents } from '../clients/event-stream.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { numbers, type PageJson, type RecordJson, seqsOf } from '../clients/shapes.ts'
import { returns, type ServedShop } from '../shop/served-shop.ts'

/** Clients who read over every protocol while something else happens to the gateway. */
export interface Watch {
  /** Stops publishing, and fails unless each of them has had every record once and in order. */
  finish(): Promise<void>
}

const unitRecords = 3
const pauseMs = 10

/** Publishes returns without a stop, has them read over WebSocket and SSE, and asks for each newest one over REST. */
export async function watchShop(shop: ServedShop): Promise<Watch> {
  const client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [returns], from: 'earliest' })
  const stream = await openEvents(`${shop.url}/sse/v1?topics=${returns}&from=earliest&api_key=${shop.key}`)
  // One connection, open all the time, like those of the others.
  const pool = new Pool(shop.url, { connections: 1 })
  let finished = false
  let published = 0
  const work = publish()
  // Told when the watch is finished.
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
