import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { Gateway } from '@headrace/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRawSocket } from './attacks/raw-socket.ts'
import { type ServedShop, serveShop } from './shop/served-shop.ts'

const html = '<!doctype html><title>Explorer</title><script type="module" src="./assets/main-a1b2C3_-.js"></script>\n'
const script = `document.title = '${'x'.repeat(2000)}'\n`
const scriptPath = '/assets/main-a1b2C3_-.js'
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

let folder: string
let shop: ServedShop
let gateway: Gateway
beforeAll(async () => {
  folder = await writePage()
  shop = await serveShop()
  gateway = await shop.startAnother({ explorer: folder })
})
afterAll(async () => {
  await gateway.close()
  await shop[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** A page as it is built: its files, and their compressed forms where these are smaller. */
async function writePage(others: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-page-'))
  await mkdir(join(folder, 'assets'))
  const files: Record<string, string | Buffer> = {
    'index.html': html,
    [scriptPath]: script,
    [`${scriptPath}.br`]: brotliCompressSync(script),
    [`${scriptPath}.gz`]: gzipSync(script),
    'assets/style-00000000.css': 'p { margin: 0 }\n',
    'assets/text-latin-ZZZZZZZZ.woff2': 'wOF2',
    'assets/icon-00000001.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ...others,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response as it is sent, still compressed. The path is sent as it is. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  const { hostname: host, port } = new URL(gateway.url)
  const sent = request({ host, port, path, method, headers, agent: false }).end()
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(await response.toArray()) }
}

/** Without what every response of a gateway has. */
function ownHeaders({ headers }: Received): IncomingHttpHeaders {
  const { date, connection, 'x-request-id': requestId, ...own } = headers
  expect([date, connection, requestId]).toEqual([expect.any(String), 'close', expect.any(String)])
  return own
}

test('a browser gets the page, which may load and connect to nothing but its own origin', async () => {
  const received = await ask('/', browser)
  expect([received.status, received.body.toString()]).toEqual([200, html])
  expect(ownHeaders(received)).toEqual({
    'cache-control': 'no-cache',
    'content-length': `${Buffer.byteLength(html)}`,
    'content-security-policy':
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    'referrer-policy': 'no-referrer',
    vary: 'Origin, Accept, Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  const again = await ask('/', { ...browser, 'if-none-match': received.headers.etag! })
  expect([again.status, again.body.length, again.headers['cache-control']]).toEqual([304, 0, 'no-cache'])
})

test.each<[string, string | undefined]>([
  ['nothing', undefined],
  ['everything, as curl does', '*/*'],
  ['text', 'text/plain'],
  ['no HTML', 'text/html;q=0, */*'],
  ['text rather than HTML', 'text/html;q=0.5, text/plain'],
  ['JSON', 'application/json'],
])('a client that accepts %s gets the text', async (_, accept) => {
  const received = await ask('/', accept === undefined ? {} : { accept })
  expect(received.body.toString()).toMatch(/^This is a Headrace gateway/)
  expect(ownHeaders(received)).toEqual({
    'cache-control': 'no-store',
    'content-length': `${received.body.length}`,
    'content-type': 'text/plain; charset=utf-8',
    vary: 'Origin, Accept, Accept-Encoding',
    'x-content-type-options': 'nosniff',
  })
})

test('an asset is kept for a year, and each coding of it has its own entity tag', async () => {
  const plain = await ask(scriptPath)
  const { etag, 'content-length': length, ...headers } = ownHeaders(plain)
  expect(headers).toEqual({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Origin, Accept-Encoding',
    'x-content-type-options': 'nosniff',
  })
  expect([plain.body.toString(), length]).toEqual([script, `${script.length}`])
  const tags = new Set([etag])
  for (const [accepted, coding, decode] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['*', 'gzip', gunzipSync],
  ] as const) {
    const encoded = await ask(scriptPath, { 'accept-encoding': accepted })
    expect(ownHeaders(encoded)).toEqual({
      ...{ ...headers, 'content-encoding': coding, 'content-length': `${encoded.body.length}` },
      etag: expect.stringMatching(new RegExp(`^"[0-9a-f]{32}-${coding}"$`)),
    })
    expect(decode(encoded.body).toString()).toBe(script)
    const { etag } = encoded.headers
    tags.add(etag)
    const held = await ask(scriptPath, { 'accept-encoding': accepted, 'if-none-match': etag! })
    expect([held.status, held.headers.etag, held.body.length]).toEqual([304, etag, 0])
  }
  expect(tags.size).toBe(3)
  expect((await ask(scriptPath, { 'accept-encoding': 'zstd' })).headers).not.toHaveProperty('content-encoding')
})

test.each([
  ['/assets/style-00000000.css', 'text/css; charset=utf-8'],
  ['/assets/text-latin-ZZZZZZZZ.woff2', 'font/woff2'],
  ['/assets/icon-00000001.svg', 'image/svg+xml'],
  ['/assets/icon-00000001.svg?api_key=ignored', 'image/svg+xml'],
])('%s is served as %s, also without compressed forms', async (path, type) => {
  const { status, headers } = await ask(path, { 'accept-encoding': 'gzip, br' })
  expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, type, undefined])
})

test.each(['/', scriptPath])('HEAD of %s has the headers of GET, and other methods are refused', async (path) => {
  const headers = { ...browser, 'accept-encoding': 'gzip' }
  const [get, head] = [await ask(path, headers), await ask(path, headers, 'HEAD')]
  expect([head.status, head.body.length, ownHeaders(head)]).toEqual([200, 0, ownHeaders(get)])
  for (const method of ['POST', 'PUT', 'DELETE', 'TRACE', 'PROPFIND']) {
    const refused = await ask(path, browser, method)
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(JSON.parse(refused.body.toString())).toMatchObject({ code: 'method_not_allowed' })
  }
  expect(await ask(path, browser, 'OPTIONS')).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } })
})

test.each([
  '/index.html',
  '/assets',
  '/assets/',
  '/assets/unknown-00000000.js',
  '/assets/main-a1b2C3_-.js.br',
  '/assets/MAIN-a1b2C3_-.js',
  '/assets/main-a1b2C3_-.js/',
  '/assets//main-a1b2C3_-.js',
  '/assets/./main-a1b2C3_-.js',
  '/assets/../index.html',
  '/assets/../../../../../../etc/passwd',
  '/assets/..%2findex.html',
  '/assets/%2e%2e%2findex.html',
  '/assets/..%5cindex.html',
  '/assets/%252e%252e%252findex.html',
  '/assets/..;/index.html',
  '/assets/main-a1b2C3_-.js%00',
  '/assets/__proto__',
  '/assets/constructor',
  `/assets/${'a'.repeat(8000)}`,
])('%.60s does not exist', async (path) => {
  const { status, headers, body } = await ask(path, browser)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    ...[404, 'application/problem+json', 'no-store'],
  ])
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'path_not_found', status: 404 })
})

test.each([
  [`/assets/${'a'.repeat(9000)}`, 414, 'uri_too_long'],
  ['/assets/%zz', 400, 'malformed_request'],
])('%.60s is refused as elsewhere', async (path, status, code) => {
  const refused = await ask(path, browser)
  expect([refused.status, JSON.parse(refused.body.toString()).code]).toEqual([status, code])
})

test('a key, valid or not, changes nothing, and its limit does not count these requests', async () => {
  const { key } = await shop.addKey({ rate: 1, burst: 2 })
  for (const authorization of [`Bearer ${key}`, `Bearer ${key}`, 'Bearer hr_test_wrong', 'Basic x'])
    for (const path of ['/', `${scriptPath}?api_key=${key}`]) {
      const { status, headers } = await ask(path, { ...browser, authorization })
      expect([status, headers.ratelimit]).toEqual([200, undefined])
    }
  const counted = await ask('/api/v1/topics', { authorization: `Bearer ${key}` })
  expect(counted.headers.ratelimit).toMatch(/^"key";r=1;/)
})

test('requests are logged and measured by route, and no fragment or token of a link is in the log', async () => {
  const token = await shop.createToken(shop.key)
  using raw = await openRawSocket(gateway.url)
  const head = 'HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n'
  raw.socket.write(`GET /#token=${token} ${head}\r\nGET /?token=${token} ${head}`)
  raw.socket.write(`Referer: http://x/#token=${token}\r\nConnection: close\r\n\r\n`)
  expect(await raw.readToEnd()).toContain(html)
  await ask(`/assets/${token}`)
  await shop.logs('request', { url: '/?token=ey…', status: 200 })
  await shop.logs('request', { url: '/assets/ey…', status: 404 })
  for (const part of token.split('.')) expect(shop.logged.join('')).not.toContain(part)
  const metrics = await gateway.metrics()
  const routes = metrics.flatMap(({ values }) => values.map(({ labels }) => labels.route))
  expect(routes).toContain('/assets/:name')
  expect(routes.filter((route) => `${route}`.includes('main'))).toEqual([])
})

test('a client without a key that reads no answers is disconnected', async () => {
  const bytes = 4 << 20
  const folder = await writePage({ 'assets/large-00000000.png': 'x'.repeat(bytes) })
  const impatient = await shop.startAnother({ explorer: folder, limits: { stallMs: 200 } })
  using raw = await openRawSocket(impatient.url)
  raw.socket.pause()
  raw.socket.write('GET /assets/large-00000000.png HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
  await shop.logs('request', { url: '/assets/large-00000000.png', complete: false })
  raw.socket.resume()
  expect((await raw.readToEnd()).length).toBeLessThan(10 * bytes)
  await impatient.close()
  await rm(folder, { recursive: true })
})

test('files that are added after the start are not served', async () => {
  await writeFile(join(folder, 'assets/late-00000000.js'), 'late')
  expect((await ask('/assets/late-00000000.js')).status).toBe(404)
})

test('a gateway without the page sends a text that names the API and the docs, also to browsers', async () => {
  const { status, headers, text } = await fetch(shop.url, { headers: browser }).then(async (response) => {
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toContain('/api/v1/topics')
  expect(text).toMatch(/https:\S+\/docs\//)
  expect((await fetch(shop.url + scriptPath)).status).toBe(404)
})

test('a gateway that drains refuses the page', async () => {
  const draining = await shop.startAnother({ explorer: folder })
  using raw = await openRawSocket(draining.url)
  raw.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n')
  await raw.until('an answer', () => (`${raw.received}`.includes('"live"') ? true : undefined))
  const closing = draining.close()
  raw.socket.write('Accept: text/html\r\n\r\n')
  expect(await raw.readToEnd()).toMatch(/HTTP\/1\.1 503 .*"code":"draining"/s)
  await closing
})

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['an asset without a hash', { 'assets/main.js': '' }, /main\.js has no hash in its name/],
  ['an asset of another type', { 'assets/main-00000000.exe': '' }, /of no type that is served.*\.woff2/],
])('a page with %s is refused at the start', async (_, files, message) => {
  const wrong = await writePage(files)
  const started = shop.startAnother({ explorer: wrong })
  await expect(started).rejects.toMatchObject({
    code: 'invalid_gateway_options',
    message: expect.stringMatching(message),
  })
  await rm(wrong, { recursive: true })
})

test('a folder that is no page is refused at the start', async () => {
  const started = shop.startAnother({ explorer: tmpdir() })
  await expect(started).rejects.toMatchObject({
    code: 'invalid_gateway_options',
    message: expect.stringMatching(/cannot be read as a built page \(ENOENT: .*\). It must have index.html/),
  })
})
