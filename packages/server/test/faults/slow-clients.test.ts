import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { connect, type JsonRpcClient } from '../clients/json-rpc-client.ts'
import { numbers, type ProgressJson, type RecordJson, seqsOf } from '../clients/shapes.ts'
import { startGatewayProcess } from '../programs/gateway-process.ts'
import { orders, serveShop } from '../shop/served-shop.ts'

const history = 5000
const note = 'x'.repeat(2000)
const bytesOfClient = 1 << 20
/** Memory of the gateway without clients, caches included. */
const baseBytes = 150 << 20

test('the few of many clients that never read are disconnected and continue at their cursors, and no client loses a record', async () => {
  const plan = planFaults('clients that never read', { once: 3, scaled: 50, full: 50 }, ['4410'])
  await using shop = await serveShop()
  for (let n = 0; n < history; n += 250) await shop.publish(orders, 250, () => ({ note }))
  const { key } = await shop.addKey({ rate: 100_000, burst: 100_000, connections: 10_000 })
  await using gateway = await startGatewayProcess({ queueUrl: shop.queueUrl, limits: { stallMs: 3000 } })
  const open = async (from: string) => {
    const client = await connect(`${gateway.url}/ws/v1?api_key=${key}`)
    await client.call('subscribe', { topics: [orders], from })
    return client
  }
  const quick = await openMany(plan.count * 19, () => open('latest'))
  const slow = await openMany(plan.count, async () => {
    const client = await open('earliest')
    client.ws.pause()
    return client
  })

  let published = history
  let memory = 0
  for (let state = await gateway.state(); state.slowConsumers < plan.count; state = await gateway.state()) {
    await shop.publish(orders, 5)
    published += 5
    memory = Math.max(memory, state.memory)
    expect(state.unsent).toBeLessThan(bytesOfClient)
    await delay(50)
  }
  expect(memory).toBeLessThan(baseBytes + plan.count * bytesOfClient)

  const all = numbers(0, published)
  for (const client of quick) {
    const pushed = await client.notifications('subscription', published - history)
    expect(seqsOf(pushed)).toEqual(all.slice(history))
  }
  for (const client of slow) {
    const before = await takeRest(client)
    expect(await client.closed).toMatchObject({ code: 4410 })
    plan.hit('4410')
    const [progress] = await client.notifications<ProgressJson>('progress', 1)
    using again = await open(progress!.cursors[orders]!)
    const after = await again.notifications('subscription', published - before.length)
    expect(seqsOf([...before, ...after])).toEqual(all)
  }
  for (const client of [...quick, ...slow]) client[Symbol.dispose]()
  plan.expectAllHit()
})

async function takeRest(client: JsonRpcClient): Promise<RecordJson[]> {
  client.ws.resume()
  await client.closed
  return client.notifications('subscription', 0)
}

async function openMany(count: number, open: () => Promise<JsonRpcClient>): Promise<JsonRpcClient[]> {
  const opened: JsonRpcClient[] = []
  while (opened.length < count) {
    const some = Array.from({ length: Math.min(50, count - opened.length) }, open)
    opened.push(...(await Promise.all(some)))
  }
  return opened
}
