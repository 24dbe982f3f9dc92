import { createClient, type RetryNotice } from '@headrace/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { errorOf, seqsIn, take, takeUntil } from './reading.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { heartbeatMs: 300 } })
  for (let n = 0; n < 10; n++) await shop.publish(orders, 10)
})
afterAll(() => shop[Symbol.asyncDispose]())

describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  const open = () => createClient({ url: shop.url, apiKey: shop.key, transport })

  test('a subscription starts at the requested position and continues live', async () => {
    const before = seqsIn(await take(open().history({ topic: orders, from: 'last:1', view: 'log' }), 1))[0]!
    const live = take(open().subscribe({ topics: [orders], from: 'last:3' }), 6, (_, count) => {
      if (count === 3) return shop.publish(orders, 3)
    })
    expect(seqsIn(await live)).toEqual(numbers(before - 2, before + 4))
  })

  test('a subscription that breaks before the first record continues at its start', async () => {
    await using quiet = await serveShop()
    await using line = await openLine(Number(new URL(quiet.url).port))
    const notices: RetryNotice[] = []
    const client = createClient({
      ...{ url: line.url, apiKey: quiet.key, transport },
      onRetry: (notice) => void notices.push(notice),
    })
    const reading = client.subscribe({ topics: [orders] })
    const first = reading.next()
    await line.quiet()
    line.down = true
    line.cut()
    await quiet.publish(orders, 2)
    while (notices.length === 0) await new Promise(setImmediate)
    line.down = false
    expect((await first).value).toMatchObject({ records: [{ seq: '0' }, { seq: '1' }] })
    await reading.return()
  })

  test('history and live records follow each other without a gap', async () => {
    const { length } = seqsIn(await take(open().history({ topic: orders }), Number.POSITIVE_INFINITY))
    let published = false
    const reading = open().follow({ topics: [orders] })
    const batches = await take(reading, length + 7, async (_, count) => {
      if (count < length || published) return
      published = true
      await shop.publish(orders, 7)
    })
    expect(seqsIn(batches)).toEqual(numbers(0, length + 7))
  })

  test('a reader that continues from the cursor of a batch gets the next record first', async () => {
    const seen: number[] = []
    let from: string | undefined
    while (seen.length < 10) {
      const [batch] = await take(open().follow({ topics: [orders], from }), 1)
      const [record] = batch!.records
      seen.push(Number(record!.seq))
      from = record!.cursor
    }
    expect(seen).toEqual(numbers(0, 10))
  })

  test('a reader that is pages behind misses nothing while records are published', async () => {
    await using busy = await serveShop()
    await busy.publish(orders, 10)
    const client = createClient({ url: busy.url, apiKey: busy.key, transport })
    const [whole] = await take(client.follow({ topics: [orders] }), 10)
    for (let n = 0; n < 10; n++) await busy.publish(orders, 100)
    const reading = client.follow({ topics: [orders], from: whole!.cursor })
    const batches = await take(reading, 1100, () => busy.publish(orders, 50))
    const seqs = seqsIn(batches)
    expect(seqs).toEqual(numbers(10, 10 + seqs.length))
  })

  test('one subscription reads several topics, each in order and from its own position', async () => {
    await shop.publish(returns, 20)
    const [first] = await take(open().history({ topic: returns, pageSize: 5 }), 5)
    const from = { [returns]: first!.cursor, [orders]: 'last:4' }
    const seqs = { [orders]: [] as number[], [returns]: [] as number[] }
    await takeUntil(open().subscribe({ topics: [orders, returns], from }), (batch) => {
      seqs[batch.topic]!.push(...seqsIn([batch]))
      return seqs[orders]!.length >= 4 && seqs[returns]!.length >= 15
    })
    expect(seqs[orders]).toEqual(numbers(seqs[orders]![0]!, seqs[orders]![0]! + 4))
    expect(seqs[returns]!.slice(0, 15)).toEqual(numbers(5, 20))
  })

  test('after silence, a batch names the last complete unit', async () => {
    await shop.publish(orders, 1)
    const reading = open().subscribe({ topics: [orders], from: 'last:1' })
    let unit = ''
    const [record, ...others] = await takeUntil(reading, ({ records, wholeThrough }) => {
      unit ||= records[0]?.unit ?? ''
      return wholeThrough === unit
    })
    expect(others.at(-1)).toMatchObject({ topic: orders, records: [], cursor: record!.cursor })
  })

  test('a revoked key ends reading with an error', async () => {
    const { key, id } = await shop.addKey()
    const notices: RetryNotice[] = []
    const client = createClient({
      url: shop.url,
      apiKey: key,
      transport,
      onRetry: (notice) => void notices.push(notice),
    })
    const reading = client.subscribe({ topics: [orders], from: 'last:1' })
    await reading.next()
    await shop.revokeKey(id)
    expect(await errorOf(reading)).toMatchObject({ name: 'RefusedError', code: 'key_revoked' })
    expect(notices).toEqual([])
  })

  test.each([
    ['a missing topic', { topics: ['no.such_topic'] }, 'topic_not_found'],
    ['a system topic', { topics: ['_headrace.keys'] }, 'topic_forbidden'],
    ['an invalid position', { topics: [orders], from: 'never' }, 'invalid_parameter'],
  ])('%s is refused with the code of the gateway', async (_, request, code) => {
    expect(await errorOf(open().subscribe(request))).toMatchObject({ name: 'RefusedError', code })
  })

  test('an unknown key is refused with its code', async () => {
    const client = createClient({ url: shop.url, apiKey: `${shop.key}x`, transport })
    expect(await errorOf(client.subscribe({ topics: [orders] }))).toMatchObject({ code: 'invalid_key', status: 401 })
  })

  test('records removed by retention are an error, or a gap if onGap is skip', async () => {
    await using old = await serveShop()
    for (let n = 0; n < 3; n++) await old.publish(orders, 10)
    const client = createClient({ url: old.url, apiKey: old.key, transport })
    const [page] = await take(client.history({ topic: orders, pageSize: 5, view: 'log' }), 5)
    await old.queue.deleteBefore(orders, 0, 10n)
    for (const read of [client.subscribe, client.follow]) {
      const request = { topics: [orders] as const, from: page!.cursor }
      const error = await errorOf(read(request))
      expect(error).toMatchObject({ name: 'PositionUnavailableError', reason: 'retention', topic: orders })

      const [gap, ...others] = await take(read({ ...request, onGap: 'skip' }), 1)
      expect(gap).toMatchObject({ topic: orders, records: [], gap: { after: page!.cursor, reason: 'retention' } })
      expect(gap!.cursor).toBe((error as { earliest: string }).earliest)
      const left = seqsIn(others)
      expect(left).toEqual(numbers(left[0]!, 30))
      expect(left[0]).toBeGreaterThan(5)
    }
  })

  test('a signal ends reading with its reason, and closes the connection', async () => {
    await using line = await openLine(Number(new URL(shop.url).port))
    const client = createClient({ url: line.url, apiKey: shop.key, transport })
    const stop = new AbortController()
    const reason = new Error('enough')
    const reading = client.subscribe({ topics: [orders], from: 'last:1', signal: stop.signal })
    await reading.next()
    const ending = errorOf(reading)
    stop.abort(reason)
    expect(await ending).toBe(reason)
    await line.unused()
    expect(await errorOf(client.subscribe({ topics: [orders], signal: stop.signal }))).toBe(reason)
  })

  test('leaving the loop closes the connection', async () => {
    await using line = await openLine(Number(new URL(shop.url).port))
    const client = createClient({ url: line.url, apiKey: shop.key, transport })
    await take(client.subscribe({ topics: [orders], from: 'last:1' }), 1)
    await line.unused()
  })
})

// Each waits for seconds.
describe.concurrent.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  test('a silent connection is replaced by a new one', { timeout: 30_000 }, async ({ expect }) => {
    await using shop = await serveShop({ limits: { heartbeatMs: 300 } })
    await shop.publish(orders, 2)
    await using line = await openLine(Number(new URL(shop.url).port))
    const notices: RetryNotice[] = []
    const client = createClient({
      ...{ url: line.url, apiKey: shop.key, transport },
      onRetry: (notice) => void notices.push(notice),
    })
    const reading = client.subscribe({ topics: [orders], from: 'last:2' })
    const first = await take({ [Symbol.asyncIterator]: () => ({ next: () => reading.next() }) }, 2)
    line.hold()
    await shop.publish(orders, 3)
    const second = await take(reading, 3)
    const seqs = seqsIn([...first, ...second])
    expect(seqs).toEqual(numbers(seqs[0]!, seqs[0]! + 5))
    expect(notices.map(({ error }) => error.message)).toEqual(['The gateway sent nothing for too long.'])
  })
})
