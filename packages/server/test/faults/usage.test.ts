import { setTimeout as delay } from 'node:timers/promises'
import { readUsage, sumUsage, type UsageCounts } from '@headrace/server'
import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { startGatewayProcess } from '../programs/gateway-process.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'

const usageMs = 400
const records = 7
/** Number of usage writes before a gateway is killed. */
const writes = 4
const deadlineMs = 20_000

async function usageOf({ queue }: ServedShop, key: string): Promise<UsageCounts> {
  const now = Date.now()
  return sumUsage(await readUsage(queue, { from: now - 3_600_000, to: now + 3_600_000, key }))
}

/** Waits until exactly this number of requests is stored. */
async function untilWritten(shop: ServedShop, key: string, requests: number): Promise<void> {
  const deadline = Date.now() + deadlineMs
  for (let found = -1; found !== requests; await delay(usageMs / 8)) {
    found = (await usageOf(shop, key)).requests
    if (found > requests || Date.now() > deadline) throw new Error(`${found} of ${requests} requests are written.`)
  }
}

test('a killed gateway loses only the usage since its last write', async () => {
  const plan = planFaults('usage of killed gateways', { once: 2, scaled: 12, full: 100 }, ['killed'])
  await using shop = await serveShop()
  await shop.publish(orders, records)
  const { key, id } = await shop.addKey({ rate: 1_000_000, burst: 1_000_000 })
  await shop.gateway.close()
  let settled = await usageOf(shop, id)
  for (let n = 0; n < plan.count; n++) {
    await using gateway = await startGatewayProcess({ queueUrl: shop.queueUrl, limits: { usageMs } })
    using client = await connect(`${gateway.url}/ws/v1?api_key=${key}`)
    await client.call('subscribe', { topics: [orders] })
    let sent = 0
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${gateway.url}/api/v1/data/${orders}`, { headers })
      await response.text()
      expect(response.status).toBe(200)
      sent++
    }
    // Opening the connection and `subscribe` are counted before the pages.
    const before = settled.requests + 2
    for (let write = 0; write < writes; write++) {
      for (let pages = plan.random.integer(20); pages >= 0; pages--) await ask()
      await untilWritten(shop, id, before + sent)
    }
    const written = sent
    for (const end = performance.now() + plan.random.integer(2 * usageMs); performance.now() < end; ) await ask()
    await gateway.kill()
    plan.hit('killed')
    const used = await usageOf(shop, id)
    const requests = used.requests - settled.requests
    expect(used.requests).toBeGreaterThanOrEqual(before + written)
    expect(used.requests).toBeLessThanOrEqual(before + sent)
    // A page is counted at its request, and its records when they have been read.
    const pages = (used.records - settled.records) / records
    expect([Math.max(0, requests - 2), Math.max(0, requests - 3)]).toContain(pages)
    settled = used
  }
  plan.expectAllHit()
})
