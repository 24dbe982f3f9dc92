import { readUsage, sumUsage, type UsageCounts } from '@headrace/server'
import { expect, test } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { startGatewayProcess } from '../programs/gateway-process.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'

const usageMs = 400
const records = 7

async function usageOf({ queue }: ServedShop, key: string): Promise<UsageCounts> {
  const now = Date.now()
  return sumUsage(await readUsage(queue, { from: now - 3_600_000, to: now + 3_600_000, key }))
}

test('a gateway that is killed loses what was used since it last wrote, and nothing else', async () => {
  const plan = planFaults('usage of killed gateways', { once: 2, scaled: 20, full: 100 }, ['killed'])
  await using shop = await serveShop()
  await shop.publish(orders, records)
  const { key, id } = await shop.addKey({ rate: 1_000_000, burst: 1_000_000 })
  await shop.gateway.close()
  let settled = await usageOf(shop, id)
  for (let n = 0; n < plan.count; n++) {
    await using gateway = await startGatewayProcess(shop.queueUrl, { usageMs })
    using client = await connect(`${gateway.url}/ws/v1?api_key=${key}`)
    await client.call('subscribe', { topics: [orders] })
    const sent: number[] = []
    const end = performance.now() + usageMs + plan.random.integer(3 * usageMs)
    while (performance.now() < end) {
      const response = await fetch(`${gateway.url}/api/v1/data/${orders}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      if (response.status === 200) sent.push(performance.now())
      await response.text()
    }
    await gateway[Symbol.asyncDispose]()
    const killed = performance.now()
    plan.hit('killed')
    const used = await usageOf(shop, id)
    const requests = used.requests - settled.requests
    // The opening, the subscribe and each page.
    expect(requests).toBeLessThanOrEqual(2 + sent.length)
    // A write begins an interval after the one before has ended.
    const written = sent.filter((time) => time < killed - 3 * usageMs)
    expect(requests).toBeGreaterThanOrEqual(written.length)
    // A page is counted when it is asked for, and its records when they are there.
    const pages = (used.records - settled.records) / records
    expect([Math.max(0, requests - 2), Math.max(0, requests - 3)]).toContain(pages)
    settled = used
  }
  plan.expectAllHit()
})
