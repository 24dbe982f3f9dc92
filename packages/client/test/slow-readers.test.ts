import { setTimeout as delay } from 'node:timers/promises'
import { createClient, type RetryNotice } from '@headrace/client'
import { describe, expect, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { seqsIn, take, takeUntil } from './reading.ts'

/** Several times as many bytes as the buffers of the sockets between gateway and reader hold. */
const count = 6000
const recordBytes = 8000
const wholeBytes = count * recordBytes

const largeOrder = () => ({ note: 'x'.repeat(recordBytes) })

async function publishMuch(shop: ServedShop): Promise<void> {
  for (let n = 0; n < count; n += 100) await shop.publish(orders, 100, largeOrder)
}

describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  test('a reader that takes nothing is sent no more than bufferSize, and then continues', async () => {
    await using shop = await serveShop()
    await publishMuch(shop)
    await using line = await openLine(Number(new URL(shop.url).port))
    const client = createClient({ url: line.url, apiKey: shop.key, transport, bufferSize: 200_000 })
    const received: number[] = []
    const reading = client.subscribe({ topics: [orders], from: 'earliest' })
    const batches = await take(reading, count, async () => {
      if (received.length === 3) return
      await line.quiet()
      received.push(line.received)
    })
    expect(seqsIn(batches)).toEqual(numbers(0, count))
    // The remaining bytes are in the buffers of sockets, whose size the system decides.
    expect(received[0]).toBeLessThan(wholeBytes / 2)
    expect(line.opened).toBe(1)
  })

  test('a reader that took nothing for too long is disconnected, and continues from its cursor', async () => {
    await using shop = await serveShop({ limits: { stallMs: 300 } })
    await shop.publish(orders, 100)
    await using line = await openLine(Number(new URL(shop.url).port))
    const notices: RetryNotice[] = []
    let held = false
    let published = 100
    const client = createClient({
      ...{ url: line.url, apiKey: shop.key, transport },
      onRetry: (notice) => void notices.push(notice),
    })
    const reading = client.subscribe({ topics: [orders], from: 'earliest' })
    const batches = await takeUntil(
      reading,
      ({ records }) => held && Number(records.at(-1)?.seq) === published - 1,
      async () => {
        if (held) return
        held = true
        line.hold()
        const ended = shop.logs('stream ended')
        // Until the buffers of all sockets are full.
        for (let full = false; !full; full = await Promise.race([ended.then(() => true), delay(0, false)])) {
          await shop.publish(orders, 100, largeOrder)
          published += 100
        }
        expect(await ended).toMatchObject({ reason: 'slow_consumer' })
        line.release()
      },
    )
    expect(seqsIn(batches)).toEqual(numbers(0, published))
    expect(notices).toHaveLength(1)
  })
})
