import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { type CommandResult, runInProcess } from './command-in-process.ts'

let folder: string
let queue: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-serve-'))
  queue = ['--queue', `embedded:${folder}`]
})
afterEach(() => rm(folder, { recursive: true }))

interface Serving {
  readonly stdout: string
  /** At the loopback address of the machine. */
  readonly url: string
  stop(): Promise<CommandResult>
}

/** Serves until `stop` is called. */
async function serve(args: readonly string[], options: { readonly isTerminal?: boolean } = {}): Promise<Serving> {
  const controller = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const signal = controller.signal
  const ended = runInProcess(['serve', '--port', '0', ...queue, ...args], { ...options, signal, onOutput: resolve })
  void ended.then(({ stderr }) => reject(new Error(stderr)))
  const stop = () => {
    controller.abort()
    return ended
  }
  onTestFinished(async () => void (await stop()))
  const stdout = await promise
  return { stdout, url: `http://127.0.0.1:${/:(\d+)/.exec(stdout)![1]}`, stop }
}

async function isPage(url: string): Promise<boolean> {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  const text = await response.text()
  if (response.headers.get('content-type') !== 'text/html; charset=utf-8') return false
  const [, asset] = /src="\.?(\/assets\/[^"]+)"/.exec(text)!
  const script = await fetch(url + asset, { headers: { 'accept-encoding': 'br' } })
  expect([script.status, script.headers.get('content-encoding')]).toEqual([200, 'br'])
  return true
}

/** The status of a request with the token of a link. A gateway accepts a key a moment after its creation. */
async function statusWith(link: string): Promise<number> {
  const [url, token] = link.split('/#token=')
  const ask = async () =>
    (await fetch(`${url}/api/v1/topics`, { headers: { authorization: `Bearer ${token}` } })).status
  await expect.poll(ask).not.toBe(401)
  return ask()
}

async function keys(): Promise<{ name: string; state: string; expires: string }[]> {
  const { stdout } = await runInProcess(['keys', 'list', '--all', '--json', ...queue])
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

test('--with-key prints a link that opens the explorer signed in for as long as the key, and that no log has', async () => {
  const { stdout, url, stop } = await serve(['--with-key'])
  const [printedUrl, key, line, ...others] = stdout.split('\n')
  expect([printedUrl, others]).toEqual([url, ['']])
  expect(key).toMatch(/^hr_test_/)
  const [, link] = /^Explorer: (http:\S+)$/.exec(line!)!
  expect(link).toMatch(`${url}/#token=`)
  expect(await isPage(url)).toBe(true)
  expect(await statusWith(link!)).toBe(200)

  const [, claims] = link!.split('#token=')[1]!.split('.')
  const { iat, exp, ...rights } = JSON.parse(Buffer.from(claims!, 'base64url').toString())
  expect(rights).toEqual({ aud: 'headrace:development' })
  const [made] = await keys()
  expect(exp - iat).toBeGreaterThan(23 * 3600)
  expect(exp * 1000).toBeLessThanOrEqual(Date.parse(made!.expires))

  const { stderr } = await stop()
  expect(stderr).toContain('"url":"/api/v1/topics"')
  expect(stderr).not.toMatch(/#token|eyJ/)
  expect(await keys()).toMatchObject([{ name: 'serve', state: 'revoked' }])
})

test('with --json the link is a member of the address', async () => {
  const { stdout, url } = await serve(['--with-key', '--json'])
  const printed = JSON.parse(stdout)
  expect(Object.keys(printed)).toEqual(['url', 'key', 'explorer'])
  expect([printed.url, await statusWith(printed.explorer)]).toEqual([url, 200])
})

test('without a key and a terminal the log has the plain address of the explorer, and how to get a link', async () => {
  const { stdout, url, stop } = await serve([])
  expect(stdout).toBe(`${url}\n`)
  expect(await isPage(url)).toBe(true)
  expect((await stop()).stderr).toContain(
    `The explorer is at ${url}/ and asks for an API key. With --with-key, a link opens it signed in.`,
  )
  expect(await keys()).toEqual([])
})

test('on a terminal, serving an embedded queue to this machine makes a key, and prints the link', async () => {
  const { stdout, stop } = await serve([], { isTerminal: true })
  const [, , line] = stdout.split('\n')
  expect(await statusWith(line!.replace('Explorer: ', ''))).toBe(200)
  await stop()
  expect(await keys()).toMatchObject([{ name: 'serve', state: 'revoked' }])
})

test.each([
  [['--json'], true],
  [['--environment', 'production'], true],
  [['--no-explorer'], false],
  [['--host', '0.0.0.0'], false],
  [['--host', '0.0.0.0', '--explorer'], true],
])('on a terminal, serve %j makes no key', async (args, hasPage) => {
  const { stdout, url, stop } = await serve(args, { isTerminal: true })
  expect(stdout).not.toContain('#token')
  expect(await isPage(url)).toBe(hasPage)
  const { stderr } = await stop()
  expect(stderr.includes('The explorer is at')).toBe(hasPage)
  expect(await keys()).toEqual([])
})

test('a link for all addresses of a machine is one that browsers open', async () => {
  const { stdout, url } = await serve(['--host', '0.0.0.0', '--explorer', '--with-key'])
  const [printed, , line] = stdout.split('\n')
  const { port } = new URL(url)
  expect(printed).toBe(`http://0.0.0.0:${port}`)
  expect(line).toMatch(`Explorer: http://localhost:${port}/#token=`)
})

test.skipIf(inject('chromium') === null)(
  'in Chromium the link signs in, leaves the address, and the page keeps to its policy',
  async () => {
    const { stdout, url } = await serve(['--with-key'])
    const link = stdout.split('Explorer: ')[1]!.trimEnd()
    await statusWith(link)
    await using browser = await chromium.connect(inject('chromium')!)
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) problems.push(message.text())
    })
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) problems.push(request.url())
    })
    const topics = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/topics')
    await page.goto(link)
    expect((await topics).status()).toBe(200)
    await page.getByText('Topics').first().waitFor()
    expect(page.url()).not.toContain('token')
    expect(problems).toEqual([])
  },
)
