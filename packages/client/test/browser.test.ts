import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Client } from '@headrace/client'
import { createToken } from '@headrace/client/token'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, serveShop } from '../../server/test/shop/served-shop.ts'
import { programs } from './guide.ts'

const built = join(import.meta.dirname, '../dist')

describe.skipIf(inject('chromium') === null)('the client in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.connect(inject('chromium')!)
  })
  afterAll(() => browser.close())

  test.each([
    ['over WebSocket, with a key without origins', false, false],
    ['over SSE, because WebSocket is blocked, with tokens that its backend creates', true, true],
  ])('%s, reads the history and then live, through broken connections', async (_, blocksUpgrades, withTokens) => {
    await using shop = await serveShop()
    await using site = await serveSite()
    await using line = await openLine(Number(new URL(shop.url).port))
    line.blocksUpgrades = blocksUpgrades
    const { key: apiKey } = await shop.addKey(withTokens ? { origins: [site.origin] } : {})
    site.token = () => createToken({ apiKey, expiresIn: 5, origin: site.origin })
    await shop.publish(orders, 1500)

    const page = await browser.newPage()
    await page.goto(site.origin)
    await follow(page, { url: line.url, ...(!withTokens && { apiKey }), topic: orders })
    for (let published = 1500; published < 1600; published += 20) {
      await page.waitForFunction((count) => globalThis.seqs.length >= count, published)
      if (published === 1520 || published === 1560) line.cut()
      await shop.publish(orders, 20)
    }
    await page.waitForFunction(() => globalThis.seqs.length >= 1600)
    expect(await page.evaluate(() => globalThis.seqs)).toEqual(numbers(0, 1600))
    expect(await page.evaluate(() => globalThis.retries)).toBeGreaterThan(0)
    await page.close()
  })

  test('reads live in the page of the guide', async () => {
    await using shop = await serveShop()
    await using site = await serveSite()
    await shop.publish(orders, 15)
    const page = await browser.newPage()
    await page.goto(site.origin)
    const program = programs('html')[0]!.replace('hr_live_…', shop.key)
    await page.setContent(
      program.replace('https://data.example.com', shop.url).replace(/headrace\.evm\.\w+\.\w+/, orders),
    )
    const shown = page.locator('body')
    await shown.getByText('14 ').waitFor()
    await shop.publish(orders, 1)
    await shown.getByText('15 ').waitFor()
    const seqs = [...(await shown.innerText()).matchAll(/\d+/g)].map(Number)
    expect(seqs).toEqual(numbers(5, 16))
    await page.close()
  })

  test('reconnects after a temporary refusal with the EventSource of the guide', async () => {
    await using shop = await serveShop()
    await using site = await serveSite()
    const { key } = await shop.addKey({ connections: 1, origins: [site.origin] })
    const page = await browser.newPage()
    await page.clock.install()
    await page.goto(site.origin)
    const refused = page.waitForResponse((response) => response.status() === 429)
    const other = new AbortController()
    await fetch(`${shop.url}/sse/v1?topics=${orders}&api_key=${key}`, { signal: other.signal })
    const program = programs('js')[0]!.replace('https://data.example.com', shop.url)
    await page.evaluate(`const [topic, key] = ${JSON.stringify([orders, key])}; ${program}`)
    await refused
    other.abort()
    await shop.logs('request', { status: 200, complete: false })
    const accepted = page.waitForResponse((response) => response.status() === 200)
    // The program waits before it retries. The time at which the page sets its timer cannot be observed.
    const skip = setInterval(() => void page.clock.runFor(5000).catch(() => {}), 100)
    await accepted
    clearInterval(skip)
    const first = page.waitForEvent('console', (message) => /^0 /.test(message.text()))
    await shop.publish(orders, 1)
    await first
    await page.close()
  })

  test('follows one wallet with a token that its backend made, is cut ten times, and proves that it missed nothing', async () => {
    await using shop = await serveShop()
    await using site = await serveSite()
    site.token = () => createToken({ apiKey: shop.key, expiresIn: 60, topics: [orders] })
    await using line = await openLine(Number(new URL(shop.url).port))
    const isOfWallet = (number: number) => number % 70 < 2
    const publish = (count: number) =>
      shop.publish(orders, count, (number) => ({ note: isOfWallet(number) ? 'wallet' : `other ${number}` }))
    const page = await browser.newPage()
    await page.goto(site.origin)
    await page.addScriptTag({ type: 'module', content: `globalThis.client = await import('/client/index.js')` })
    await page.waitForFunction(() => 'client' in globalThis)
    await publish(300)
    await page.evaluate(followWallet, { url: line.url, topic: orders })
    const wallet = (end: number) => numbers(0, end).filter(isOfWallet)
    for (let published = 300; published < 1300; published += 100) {
      await page.waitForFunction((count) => globalThis.seqs.length >= count, wallet(published).length)
      line.cut()
      await publish(100)
    }
    await page.waitForFunction((count) => globalThis.seqs.length >= count, wallet(1300).length)
    const { seqs, skipped, retries } = await page.evaluate(() => {
      const { seqs, skipped, retries } = globalThis
      return { seqs, skipped, retries }
    })
    expect(seqs).toEqual(wallet(1300))
    expect(skipped).toEqual(seqs.map((seq, n) => (n === 0 ? seq : seq - seqs[n - 1]! - 1)))
    expect(retries).toBeGreaterThanOrEqual(10)
    await page.close()
  })

  test('creates a token that a gateway accepts', async () => {
    await using shop = await serveShop()
    await using site = await serveSite()
    const page = await browser.newPage()
    await page.goto(site.origin)
    const load = `globalThis.create = (await import('/client/token/index.js')).createToken`
    await page.addScriptTag({ type: 'module', content: load })
    await page.waitForFunction(() => 'create' in globalThis)
    const token = await page.evaluate(`create({ apiKey: ${JSON.stringify(shop.key)} })`)
    expect((await shop.get('/api/v1/topics', { authorization: `Bearer ${token}` })).status).toBe(200)
    await page.close()
  })

  test('gets the code of an unknown key', async () => {
    await using shop = await serveShop()
    await using site = await serveSite()
    await shop.addKey({ origins: [site.origin] })
    const page = await browser.newPage()
    await page.goto(site.origin)
    await follow(page, { url: shop.url, apiKey: `${shop.key}x`, topic: orders })
    await page.waitForFunction(() => globalThis.failure)
    expect(await page.evaluate(() => globalThis.failure)).toBe('invalid_key')
    await page.close()
  })
})

declare global {
  var seqs: number[]
  var skipped: number[]
  var retries: number
  var failure: string
}

interface Reading {
  readonly url: string
  /** Default: tokens of the backend. */
  readonly apiKey?: string
  readonly topic: string
}

async function follow(page: Page, reading: Reading): Promise<void> {
  await page.addScriptTag({ type: 'module', content: `globalThis.client = await import('/client/index.js')` })
  await page.waitForFunction(() => 'client' in globalThis)
  await page.evaluate(readOrders, reading)
}

/** Runs in the page. */
function readOrders({ url, apiKey, topic }: Reading): void {
  globalThis.seqs = []
  globalThis.retries = 0
  const { createClient } = (globalThis as unknown as { client: typeof import('@headrace/client') }).client
  const token = async () => (await fetch('/token')).text()
  const credential = apiKey === undefined ? { token } : { apiKey }
  const onRetry = () => void globalThis.retries++
  const client: Client<Record<string, object>> = createClient({ url, ...credential, onRetry })
  const read = async () => {
    for await (const { records } of client.follow({ topics: [topic] }))
      for (const { seq } of records) globalThis.seqs.push(Number(seq))
  }
  read().catch(({ code }) => {
    globalThis.failure = code
  })
}

/** Runs in the page. */
function followWallet({ url, topic }: { readonly url: string; readonly topic: string }): void {
  globalThis.seqs = []
  globalThis.skipped = []
  globalThis.retries = 0
  const { createClient } = (globalThis as unknown as { client: typeof import('@headrace/client') }).client
  const token = async () => (await fetch('/token')).text()
  const client = createClient({ url, token, onRetry: () => void globalThis.retries++ })
  const read = async () => {
    const filter = 'value.note == "wallet"'
    for await (const { records } of client.subscribe({ topics: [topic], from: 'earliest', filter, fields: ['number'] }))
      for (const { seq, skipped } of records) {
        globalThis.seqs.push(Number(seq))
        globalThis.skipped.push(skipped!)
      }
  }
  read().catch(({ code }) => {
    globalThis.failure = code
  })
}

interface Site extends AsyncDisposable {
  readonly origin: string
  /** Its backend. */
  token(): Promise<string>
}

/** Serves an empty page on its own origin, the built client, and tokens. */
async function serveSite(): Promise<Site> {
  const server = createServer(async (request, response) => {
    const [, file] = /^\/client\/([a-z/-]+\.js)$/.exec(request.url!) ?? []
    if (file)
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(join(built, file)))
    if (request.url === '/token') return response.end(await site.token())
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Reader</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const site: Site = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    token: () => Promise.reject(new Error('There is no token.')),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
  return site
}
