import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type RetryNotice } from '@headrace/client'
import { createToken } from '@headrace/client/token'
import { rotateKey } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forge, now } from '../../server/test/attacks/forge-token.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { all, errorOf, seqsIn } from './reading.ts'

let shop: ServedShop
/** A key that the gateway no longer accepts. */
let revoked: string
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 20)
  const { key, id } = await shop.addKey()
  await shop.revokeKey(id)
  while ((await shop.get('/ws/v1', { authorization: `Bearer ${key}` })).status !== 401) await wait(10)
  revoked = key
})
afterAll(() => shop[Symbol.asyncDispose]())

const expired = () => forge(shop.key, { claims: { iat: now() - 100, exp: now() - 10 } })
const expiredFirst = () => {
  let calls = 0
  return async () => (calls++ === 0 ? expired() : createToken({ apiKey: shop.key }))
}

describe.concurrent.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  /** Reads while it publishes, until 20 records after it is over. Expects every record once. */
  async function readThrough(served: ServedShop, isOver: () => boolean, token: () => Promise<string>) {
    const notices: RetryNotice[] = []
    const client = createClient({
      ...{ url: served.url, transport, token },
      onRetry: (notice) => void notices.push(notice),
    })
    let published = 2
    await served.publish(orders, published)
    const seqs: number[] = []
    let atEnd = Number.POSITIVE_INFINITY
    for await (const { records } of client.follow({ topics: [orders] })) {
      seqs.push(...records.map(({ seq }) => Number(seq)))
      if (isOver()) atEnd = Math.min(atEnd, seqs.length)
      if (seqs.length > atEnd + 20) break
      await wait(5)
      await served.publish(orders, 2)
      published += 2
    }
    expect(seqs).toEqual(numbers(0, seqs.length))
    expect(seqs.length).toBeLessThanOrEqual(published)
    return notices
  }

  test('a token is renewed before it expires, and no record is missed or repeated', async () => {
    await using own = await serveShop()
    let calls = 0
    const token = () => createToken({ apiKey: own.key, expiresIn: calls++ === 0 ? 4 : 60 })
    await readThrough(own, () => calls > 1, token)
  })

  test('a stream whose token expires, because no other can be got, continues where it was', async () => {
    await using own = await serveShop()
    let calls = 0
    const token = async () => {
      calls++
      if (calls === 2) throw new Error('the backend is away')
      return createToken({ apiKey: own.key, expiresIn: calls === 1 ? 3 : 60 })
    }
    const notices = await readThrough(own, () => calls > 2, token)
    expect(notices.length).toBeGreaterThan(0)
  })

  test('a stream continues with a token of the new key after a rotation', async () => {
    await using own = await serveShop()
    const old = await own.addKey()
    let current = old.key
    let calls = 0
    await readThrough(
      own,
      () => calls > 1,
      async () => {
        if (calls++ === 0) setTimeout(rotate, 100)
        return createToken({ apiKey: current })
      },
    )

    async function rotate() {
      const show = async ({ key }: { key: string }) => {
        current = key
      }
      await rotateKey(own.queue, old.id, { graceMs: 0, show })
    }
  })

  test('a stream begins with a new token if the first one has expired', async () => {
    const client = createClient({ url: shop.url, transport, token: expiredFirst() })
    for await (const { records } of client.subscribe({ topics: [orders], from: 'earliest' })) {
      expect(records[0]!.seq).toBe('0')
      break
    }
  })

  test('a function that returns only expired tokens, or those of a revoked key, ends reading', async () => {
    const open = (token: () => Promise<string>) =>
      errorOf(createClient({ url: shop.url, transport, token }).subscribe({ topics: [orders] }))
    expect(await open(async () => expired())).toMatchObject({
      ...{ name: 'RefusedError', code: 'token_expired', status: 401 },
      message: expect.stringContaining('must return a new one each time'),
    })
    expect(await open(() => createToken({ apiKey: revoked }))).toMatchObject({
      name: 'RefusedError',
      code: 'invalid_token',
    })
  })
})

test('history is read through a renewal, with one call for pages that are fetched at the same time', async () => {
  let calls = 0
  const token = async () => {
    calls++
    await wait(50)
    return createToken({ apiKey: shop.key, expiresIn: 600 })
  }
  const client = createClient({ url: shop.url, token })
  const readings = await Promise.all(
    Array.from({ length: 5 }, () => all(client.history({ topic: orders, pageSize: 3, to: 'latest' }))),
  )
  for (const pages of readings) expect(seqsIn(pages)).toEqual(numbers(0, 20))
  expect(calls).toBe(1)
  const renewing = createClient({ url: shop.url, token: expiredFirst() })
  expect(seqsIn(await all(renewing.history({ topic: orders, pageSize: 3 })))).toEqual(numbers(0, 20))
})

test('a token narrows what a client reads', async () => {
  const token = () => createToken({ apiKey: shop.key, topics: ['acme.shop.1_0_0.other_*'] })
  const client = createClient({ url: shop.url, token })
  expect(await errorOf(client.history({ topic: orders }))).toMatchObject({ code: 'topic_forbidden' })
})
