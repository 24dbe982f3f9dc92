import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../testbed/chain/chain.ts'
import { type ConnectorProcess, connector, startConnector } from './connector-process.ts'
import { engines } from './engines.ts'
import { openSubscription } from './subscription.ts'

interface Page {
  readonly data: { readonly value: { readonly Number: string } }[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

let chain: Chain

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(60, { transactions: 2 })
})

afterAll(() => chain.stop())

for (const engine of engines)
  describe.skipIf(engine.missing)(`a gateway over ${engine.name}`, () => {
    let opened: Awaited<ReturnType<typeof engine.open>>
    let gateway: ConnectorProcess
    let url: string
    let key: string
    let topic: string

    const run = (end: number) =>
      connector(
        ...['run', 'examples/evm', '--queue', opened.url, '--set', `rpc=${chain.rpc}`],
        ...['--set', 'start=0', '--set', `end=${end}`, '--set', `chain=${opened.chain}`],
      )
    const get = (path: string, headers = {}) => fetch(`${url}${path}`, { headers })
    const authorization = () => ({ authorization: `Bearer ${key}` })

    beforeAll(async () => {
      opened = await engine.open()
      topic = `headrace.evm.1_0_0.${opened.chain}_Block`
      expect(await run(50)).toMatchObject({ code: 0 })
      const created = await connector('keys', 'create', '--name', 'test', '--queue', opened.url)
      key = created.stdout.trim()
      gateway = startConnector(['serve', '--queue', opened.url, '--port', '0'])
      const [address] = (await once(createInterface(gateway.child.stdout!), 'line')) as [string]
      url = address
    })

    afterAll(async () => {
      gateway.child.kill('SIGTERM')
      expect(await gateway.ended).toMatchObject({ code: 0 })
      await opened.remove()
    })

    test('answers a page of history with a key', async () => {
      const response = await get(`/api/v1/data/${topic}?limit=3`, authorization())
      expect(response.status).toBe(200)
      const page = (await response.json()) as Page
      expect(Object.keys(page)).toEqual(['topic', 'data', 'nextCursor', 'headCursor', 'hasMore'])
      expect(page).toMatchObject({
        topic,
        hasMore: true,
        nextCursor: expect.any(String),
        headCursor: expect.any(String),
      })
      expect(page.data.map(({ value }) => value.Number)).toEqual(['50', '49', '48'])
      expect(Object.keys(page.data[0]!)).toEqual([
        'topic',
        'partition',
        'seq',
        'unit',
        'offset',
        'time',
        'key',
        'op',
        'value',
        'cursor',
      ])
    })

    test('pages by cursor without a gap or a repetition', async () => {
      const numbers: number[] = []
      for (let cursor = '', more = true; more; ) {
        const path = `/api/v1/data/${topic}?limit=20&order=asc${cursor && `&cursor=${cursor}`}`
        const page = (await (await get(path, authorization())).json()) as Page
        for (const { value } of page.data) numbers.push(Number(value.Number))
        cursor = page.nextCursor
        more = page.hasMore
      }
      expect(numbers).toEqual(Array.from({ length: 51 }, (_, number) => number))
    })

    test('refuses a caller without a key, with a wrong key or without permission', async () => {
      const path = `/api/v1/data/${topic}`
      const without = await get(path)
      expect(without.status).toBe(429)
      expect(without.headers.get('retry-after')).toBeNull()
      expect(await without.json()).toMatchObject({ code: 'rate_limited' })
      expect((await get(path, { authorization: `Bearer ${key.slice(0, -1)}` })).status).toBe(401)
      expect((await get(`${path}?api_key=${key}`)).status).toBe(200)

      const narrow = await connector('keys', 'create', '--name', 'n', '--topics', 'other.*', '--queue', opened.url)
      await expect
        .poll(async () => (await get(path, { authorization: `Bearer ${narrow.stdout.trim()}` })).status)
        .toBe(403)
    })

    test('replies to a WebSocket subscription, pushes 51 records from the earliest on, then live ones', async () => {
      await using subscription = await openSubscription(`${url}/ws/v1?api_key=${key}`)
      subscription.send({ id: 1, method: 'subscribe', params: { topics: [topic], from: 'earliest' } })
      expect(await subscription.next()).toMatchObject({ id: 1, result: { topics: [{ topic }] } })
      for (let number = 0; number <= 50; number++)
        expect(await subscription.next()).toMatchObject({
          method: 'subscription',
          params: { topic, seq: `${number}`, value: { Number: `${number}` } },
        })

      expect(await run(60)).toMatchObject({ code: 0 })
      for (let number = 51; number <= 60; number++)
        expect(await subscription.next()).toMatchObject({
          params: { seq: `${number}`, value: { Number: `${number}` } },
        })

      subscription.send({ id: 2, method: 'unsubscribe', params: { topics: [topic] } })
      expect(await subscription.next()).toMatchObject({ id: 2, result: expect.anything() })
    })
  })
