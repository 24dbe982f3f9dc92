import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { chromium } from 'playwright-core'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { connector, startConnector } from './whole-path/connector-process.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/guides/adopt.md'), 'utf8')
const bootstrap = inject('kafka')
const topic = `orders-${process.pid}`
// Inside the repository, so that kafkajs is found as in a clone.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'adopt-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** With the broker, the topic and the port of this test. */
const own = (text: string) =>
  text.replaceAll('127.0.0.1:9092', bootstrap!).replaceAll(/(?<=['=/ ])orders(?=['&? ])/g, topic)
const block = (language: string) => own(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(guide)![1]!)
/** The arguments of a command of the guide. */
const command = (beginning: string) =>
  own(new RegExp(`^npx connector (${beginning}.*)$`, 'm').exec(guide)![1]!).split(' ')

test.skipIf(bootstrap === null || inject('chromium') === null)(
  'the guide puts SSE in front of a Kafka topic, up to the page in a browser',
  async () => {
    writeFileSync(join(folder, 'produce.mjs'), block('js').replace('resolve, 1000', 'resolve, 50'))
    const producer = execa(process.execPath, ['produce.mjs'], { cwd: folder, reject: false })
    onTestFinished(() => void producer.kill())
    const adopt = () => connector(...command('adopt'))
    await expect
      .poll(async () => (await adopt()).stdout, { timeout: 20_000 })
      .toMatch(/served as json.* can be decoded/)

    const serving = startConnector([...command('serve'), '--port', '0', '--json'])
    onTestFinished(() => void serving.child.kill())
    const [line] = (await once(createInterface(serving.child.stdout!), 'line')) as [string]
    const { url, key } = JSON.parse(line) as { url: string; key: string }
    const paths = [...guide.matchAll(/'http:\/\/127\.0\.0\.1:8080(.*?)'$/gm)].map(
      ([, path]) => `${url}${own(`${path}'`).slice(0, -1)}`,
    )
    const page = await fetch(paths[0]!, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await page.json()) as { data: { key: string; value: { id: number; total: number } }[] }
    expect(data).toHaveLength(3)
    for (const record of data)
      expect(record).toMatchObject({ key: `order-${record.value.id}`, value: { total: record.value.id * 10 } })

    let html = ''
    const site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
    await once(site.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void site.close())
    const origin = `http://localhost:${(site.address() as AddressInfo).port}`
    const created = await connector(
      ...command('keys create').map((word) => word.replace('http://localhost:8000', origin)),
      '--json',
    )
    const { key: pageKey } = JSON.parse(created.stdout) as { key: string }
    html = block('html').replace('http://127.0.0.1:8080', url).replace('hr_test_…', pageKey)
    const browser = await chromium.connect(inject('chromium')!)
    onTestFinished(() => browser.close())
    const opened = await browser.newPage()
    await opened.goto(origin)
    const output = opened.locator('pre')
    await expect
      .poll(async () => (await output.textContent())!.split('\n').length, { timeout: 20_000 })
      .toBeGreaterThan(4)
    for (const text of (await output.textContent())!.trim().split('\n'))
      expect(text).toMatch(/^(?<id>\d+) (ada|bob) \k<id>0$/)
  },
  60_000,
)
