import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Transform } from 'node:stream'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import { type Queue, QueueUnavailableError } from '@headrace/queue'
import type { Gateway } from '@headrace/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { numbers, type PageJson } from './clients/shapes.ts'
import { environment } from './environment.ts'
import { linesOf } from './independent/program.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'
import { shopOpened } from './shop/shop.ts'

const codings = ['gzip', 'br', 'zstd'] as const
const decode = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
const path = `/api/v1/data/${orders}`
const count = 3000

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  const notes = ['', 'ünïcödé "quoted" \\ \n', 'x'.repeat(2000), '👍'.repeat(30)]
  for (let n = 0; n < count; n += 500)
    await shop.publish(orders, 500, (number) => ({
      note: `${notes[number % 4]}${number}`,
      parcel: randomBytes(number % 300),
    }))
})
afterAll(() => shop[Symbol.asyncDispose]())

/** A response as it is sent, still compressed. */
async function ask(target: string, headers: Record<string, string>, url = shop.url): Promise<IncomingMessage> {
  const sent = request(url + target, {
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
    agent: false,
  }).end()
  const [response] = await once(sent, 'response')
  return response
}

async function pageIn(coding: string, query: string): Promise<{ body: Buffer; response: IncomingMessage }> {
  const response = await ask(`${path}?${query}`, { 'accept-encoding': coding })
  return { response, body: Buffer.concat(await response.toArray()) }
}

test('a page is the same in every coding, each of which has its own entity tag', async () => {
  const query = fc.record({
    order: fc.constantFrom('asc', 'desc'),
    view: fc.constantFrom('canonical', 'log'),
    limit: fc.integer({ min: 1, max: 60 }),
    from: fc.nat(count - 1),
    pages: fc.integer({ min: 1, max: 3 }),
    coding: fc.constantFrom(...codings),
  })
  let compressed = 0
  await fc.assert(
    fc.asyncProperty(query, async ({ order, view, limit, from, pages, coding }) => {
      const bound = order === 'asc' ? 'from' : 'to'
      let next = `${bound}=${new Date(shopOpened + from * 1000).toISOString()}`
      for (let n = 0; n < pages; n++) {
        const text = `order=${order}&view=${view}&limit=${limit}&${next}`
        const [plain, coded] = await Promise.all([pageIn('identity', text), pageIn(coding, text)])
        expect(plain.response.headers['content-encoding']).toBeUndefined()
        if (coded.response.headers['content-encoding'] === coding) {
          compressed++
          expect(decode[coding](coded.body).equals(plain.body)).toBe(true)
          expect(coded.response.headers.etag).toBe(plain.response.headers.etag!.replace(/"$/, `-${coding}"`))
        } else expect([plain.body.byteLength < 1024, coded.body.equals(plain.body)]).toEqual([true, true])
        const page: PageJson = JSON.parse(plain.body.toString())
        if (!page.hasMore) return
        next = `cursor=${page.nextCursor}`
      }
    }),
    { numRuns: environment.comparedPages, seed: inject('faultSeed') },
  )
  expect(compressed).toBeGreaterThan(environment.comparedPages)
})

test('the documents are the same in every coding', async () => {
  for (const name of ['openapi', 'asyncapi']) {
    const target = `/api/v1/${name}.json`
    const plain = Buffer.concat(await (await ask(target, {})).toArray())
    for (const coding of codings) {
      const response = await ask(target, { 'accept-encoding': coding })
      expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'Origin, Accept-Encoding' })
      expect(decode[coding](Buffer.concat(await response.toArray())).equals(plain)).toBe(true)
    }
  }
})

/** A gateway that reads the records in the middle of the topic only after `proceed`. */
async function startSlow(proceed: () => Promise<void>): Promise<Gateway> {
  const read: Queue['read'] = async (at, limits) => {
    if (at.topic === orders && at.offset > 1000n && at.offset < 2000n) await proceed()
    return shop.queue.read(at, limits)
  }
  return shop.startAnother({ queue: { ...shop.queue, read } })
}

const lines = `${path}?order=asc&view=log&format=ndjson`
const away = () => Promise.reject(new QueueUnavailableError('away'))

test('lines arrive while later ones are being read, in every coding', async () => {
  await inEveryCoding(async (coding) => {
    const gate = Promise.withResolvers<void>()
    const gateway = await startSlow(() => gate.promise)
    const response = await ask(lines, { 'accept-encoding': coding }, gateway.url)
    expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'Origin, Accept-Encoding' })
    let text = ''
    let hasBegun = false
    for await (const piece of response.pipe(decoder(coding))) {
      text += piece
      hasBegun ||= text.includes('"seq":"500"')
      if (hasBegun) gate.resolve()
    }
    const seqs = text
      .trimEnd()
      .split('\n')
      .map((line) => Number(JSON.parse(line).seq))
    expect(seqs).toEqual(numbers(0, count))
    await gateway.close()
  })
})

test('lines that fail are seen as cut by curl and by fetch, in every coding', async () => {
  await inEveryCoding(async (coding) => {
    const gate = Promise.withResolvers<void>()
    const gateway = await startSlow(() => gate.promise.then(away))
    const headers = { authorization: `Bearer ${shop.key}`, 'accept-encoding': coding }
    const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const curlBegan = Promise.withResolvers<void>()
    const byCurl = linesOf(['curl', '-sSN', '--compressed', ...options, gateway.url + lines], {
      onLine: (count) => count === 5 && curlBegan.resolve(),
    })
    const response = await fetch(gateway.url + lines, { headers })
    await curlBegan.promise
    gate.resolve()
    const failures = await Promise.allSettled([byCurl, response.text()])
    expect(failures).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringMatching(/^curl ended with (18|23|56|61) after/) } },
      { status: 'rejected', reason: { message: 'terminated' } },
    ])
    await gateway.close()
  })
})

async function inEveryCoding(check: (coding: (typeof codings)[number]) => Promise<void>): Promise<void> {
  await Promise.all(codings.map(check))
}

function decoder(coding: (typeof codings)[number]): Transform {
  if (coding === 'gzip') return createGunzip()
  return coding === 'br' ? createBrotliDecompress() : createZstdDecompress()
}

test('lines that fail before the first one are answered with a problem, which is not compressed', async () => {
  const read: Queue['read'] = async (at, limits) => (at.topic === orders ? away() : shop.queue.read(at, limits))
  const gateway = await shop.startAnother({ queue: { ...shop.queue, read } })
  const from = new Date(shopOpened + 5000).toISOString()
  const response = await ask(`${lines}&from=${from}`, { 'accept-encoding': 'gzip' }, gateway.url)
  expect(response.statusCode).toBe(503)
  expect(response.headers).not.toHaveProperty('content-encoding')
  expect(JSON.parse(`${Buffer.concat(await response.toArray())}`)).toMatchObject({ code: 'overloaded' })
  await gateway.close()
})
