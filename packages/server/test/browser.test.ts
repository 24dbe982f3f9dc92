import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openLine } from './clients/line.ts'
import { numbers, type RecordJson, seqsOf } from './clients/shapes.ts'
import { orders, serveShop } from './shop/served-shop.ts'

describe.skipIf(inject('chromium') === null)('an EventSource in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.connect(inject('chromium')!)
  })
  afterAll(() => browser.close())

  test('that is cut and reconnects by itself misses and repeats nothing', async () => {
    await using shop = await serveShop()
    await using site = await servePage()
    await using line = await openLine(Number(new URL(shop.url).port))
    const { key } = await shop.addKey({ origins: [site.origin] })
    await shop.publish(orders, 20)

    const page = await browser.newPage()
    await page.goto(site.origin)
    await page.evaluate(readEvents, `${line.url}/sse/v1?topics=${orders}&from=earliest&api_key=${key}`)
    for (let published = 20; published < 100; published += 20) {
      await page.waitForFunction((count) => globalThis.records.length >= count, published)
      if (published === 60) line.cut()
      await shop.publish(orders, 20)
    }
    await page.waitForFunction(() => globalThis.records.length >= 100)
    const { records, opened } = await page.evaluate(() => ({
      records: globalThis.records,
      opened: globalThis.opened,
    }))
    expect(seqsOf(records)).toEqual(numbers(0, 100))
    expect(opened).toBe(2)
    await page.close()
  })

  test('is refused on a page of another origin', async () => {
    await using shop = await serveShop()
    await using site = await servePage()
    const { key } = await shop.addKey({ origins: ['https://example.org'] })
    const page = await browser.newPage()
    await page.goto(site.origin)
    await page.evaluate(readEvents, `${shop.url}/sse/v1?topics=${orders}&api_key=${key}`)
    await page.waitForFunction(() => globalThis.failed)
    expect(await page.evaluate(() => globalThis.opened)).toBe(0)
    await page.close()
  })
})

declare global {
  var records: RecordJson[]
  var opened: number
  var failed: boolean
}

/** Runs in the page. */
function readEvents(url: string): void {
  globalThis.records = []
  globalThis.opened = 0
  globalThis.failed = false
  const events = new EventSource(url)
  events.onopen = () => globalThis.opened++
  events.onmessage = ({ data }) => globalThis.records.push(JSON.parse(data))
  events.onerror = () => {
    globalThis.failed ||= events.readyState === EventSource.CLOSED
  }
}

/** Serves an empty page on its own origin. */
async function servePage(): Promise<AsyncDisposable & { origin: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Reader</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
