import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ConnectorProcess, connector, startConnector } from './whole-path/connector-process.ts'

let folder: string
let queue: string[]
let key: string
let keyId: string
let serving: Serving | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-serve-'))
  queue = ['--queue', `embedded:${folder}`]
  const created = await connector('keys', 'create', '--name', 'test', ...queue, '--json')
  const made = JSON.parse(created.stdout)
  key = made.key
  keyId = made.id
})
afterEach(async () => {
  serving?.process.child.kill('SIGKILL')
  await serving?.process.ended
  serving = undefined
  await rm(folder, { recursive: true })
})

interface Serving {
  readonly process: ConnectorProcess
  readonly url: string
  readonly log: Record<string, unknown>[]
  /** Waits for a line with this message after the last one that was found. */
  next(message: string | RegExp): Promise<Record<string, unknown>>
}

async function serve(...args: string[]): Promise<Serving> {
  const process = startConnector(['serve', '--port', '0', ...queue, ...args])
  const log: Record<string, unknown>[] = []
  const taken = new Set<unknown>()
  const lines = createInterface(process.child.stderr!)
  lines.on('line', (line) => log.push(JSON.parse(line)))
  const [url] = (await once(createInterface(process.child.stdout!), 'line')) as [string]
  serving = {
    process,
    url,
    log,
    async next(message) {
      for (;;) {
        const isWanted = (msg: unknown) => (typeof message === 'string' ? msg === message : message.test(String(msg)))
        const found = log.find((line) => isWanted(line.msg) && !taken.has(line))
        if (found) {
          taken.add(found)
          return found
        }
        await once(lines, 'line', { signal: AbortSignal.timeout(30_000) })
      }
    },
  }
  return serving
}

const get = (url: string, path: string) => fetch(url + path, { headers: { authorization: `Bearer ${key}` } })

async function metricsOf({ next }: Serving): Promise<() => Promise<string>> {
  const { url } = await next('metrics served')
  return async () => (await fetch(`${url}/metrics`)).text()
}

const gatewaysIn = (text: string) => new Set([...text.matchAll(/gateway="(\d+)"/g)].map(([, number]) => number))

/** Opens connections in sequence: of several at once a faster gateway gets more than its share. */
async function openInTurn(url: string, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = []
  while (sockets.length < count) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1?api_key=${key}`)
    await once(socket, 'open')
    sockets.push(socket)
  }
  return sockets
}

test('several gateways answer in turn at one port, and one metrics port reports on all of them', async () => {
  const gateways = await serve('--gateways', '3', '--metrics-port', '0')
  const metrics = await metricsOf(gateways)
  const policies = new Set<string | null>()
  for (let n = 0; n < 9; n++) {
    const response = await get(gateways.url, '/api/v1/topics')
    expect(response.status).toBe(200)
    policies.add(response.headers.get('ratelimit-policy'))
    // So that each request has a connection of its own.
    await response.text()
  }
  // A third of a key's limits.
  expect([...policies]).toEqual(['"key";q=66;w=2'])
  const sockets = await openInTurn(gateways.url, 6)
  const text = await metrics()
  expect(gatewaysIn(text)).toEqual(new Set(['1', '2', '3']))
  expect(text.match(/# TYPE headrace_gateway_connections gauge/g)).toHaveLength(1)
  for (const number of [1, 2, 3])
    expect(text).toContain(`headrace_gateway_connections{protocol="websocket",gateway="${number}"} 2`)

  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
  gateways.process.child.kill('SIGTERM')
  for (const [code] of await closed) expect(code).toBe(1012)
  expect(await gateways.process.ended).toMatchObject({ code: 0 })
  expect(new Set(gateways.log.filter(({ msg }) => msg === 'stopping').map(({ gateway }) => gateway))).toEqual(
    new Set([undefined, 1, 2, 3]),
  )
  const { stdout } = await connector('keys', 'usage', keyId, ...queue, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ key: keyId, requests: 9 + 6, refused: 0 })
})

test('a gateway that dies is started again, and the others continue', async () => {
  const gateways = await serve('--gateways', '2', '--metrics-port', '0')
  const metrics = await metricsOf(gateways)
  const sockets = await openInTurn(gateways.url, 2)
  const closes = sockets.map((socket) => once(socket, 'close').then(() => socket))
  const startOf = async (number: number) =>
    new RegExp(`process_start_time_seconds\\{gateway="${number}"\\} (\\S+)`).exec(await metrics())?.[1]
  const [first, second] = [await startOf(1), await startOf(2)]
  const { pid } = await gateways.next('gateway process started')
  process.kill(pid as number, 'SIGKILL')
  const dead = await gateways.next('gateway process died, starting another one')
  expect(dead).toMatchObject({ gateway: 1, signal: 'SIGKILL', code: null })
  await Promise.race(closes)
  expect((await get(gateways.url, '/health/ready')).status).toBe(200)
  await expect.poll(() => startOf(1), { timeout: 30_000 }).not.toBeOneOf([first, undefined])
  expect(await startOf(2)).toBe(second)
  expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(1)
  for (const socket of sockets) socket.terminate()
  gateways.process.child.kill('SIGTERM')
  expect(await gateways.process.ended).toMatchObject({ code: 0 })
})

test.each(['SIGTERM', 'SIGINT'] as const)('several gateways that get %s while they start end', async (signal) => {
  const process = startConnector(['serve', '--port', '0', '--gateways', '2', ...queue])
  const lines = createInterface(process.child.stderr!)
  await once(lines, 'line')
  process.child.kill(signal)
  expect(await process.ended).toMatchObject({ code: 0, signal: null, stdout: '' })
})

test('several gateways that get a signal from the terminal while they start end', async () => {
  const args = ['serve', '--port', '0', '--gateways', '2', ...queue]
  const { child, ended } = startConnector(args, {}, { detached: true })
  await once(createInterface(child.stderr!), 'line')
  // The terminal sends it to all processes of the command, and some do not handle it yet.
  process.kill(-child.pid!, 'SIGINT')
  expect(await ended).toMatchObject({ code: 0, signal: null, stdout: '' })
})

test('none is left when the first process is killed', async () => {
  const gateways = await serve('--gateways', '2')
  const pids: number[] = []
  for (let n = 0; n < 2; n++) pids.push((await gateways.next('gateway process started')).pid as number)
  gateways.process.child.kill('SIGKILL')
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([])
})

test.each(['1', '2'])('with %s gateways a port in use is reported, and no process keeps running', async (count) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const ended = await connector('serve', '--port', `${port}`, '--gateways', count, ...queue)
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  const line = ended.stderr
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
    .at(-1)
  expect(line).toMatchObject({ code: 'listen_failed', msg: expect.stringContaining(`port ${port}`) })
  other.close()
})

test('a key is in no line, metric or answer of the command that serves it', async () => {
  const gateway = await serve('--metrics-port', '0')
  const metrics = await metricsOf(gateway)
  const encoded = Array.from(key, (character) => `%${character.charCodeAt(0).toString(16)}`).join('')
  const answers: string[] = []
  for (const path of ['/api/v1/topics', '/health/ready', '/sse/v1', '/ws/v1', '/nothing', '/api/v1/data/%zz'])
    for (const [query, headers] of [
      [`?api_key=${key}`, {}],
      [`?x=${key}&${key}=1`, { authorization: `Bearer ${key}` }],
      [`/${key}?x=${encoded}`, { authorization: `Basic ${btoa(key)}`, origin: `https://${key.toLowerCase()}.example` }],
      [`?api_key=${key}`, { authorization: key, 'user-agent': key, referer: `https://x/?api_key=${key}`, cookie: key }],
    ] as const)
      answers.push(await (await fetch(gateway.url + path + query, { headers })).text())
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws/v1?api_key=${key}`)
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: key, params: { topics: [key] } }))
  answers.push(await metrics())
  socket.terminate()
  gateway.process.child.kill('SIGTERM')
  const { stdout, stderr, code } = await gateway.process.ended
  expect(code).toBe(0)
  expect(gateway.log.length).toBeGreaterThan(20)
  const texts = [stdout, stderr, JSON.stringify(gateway.log), ...answers]
  for (const text of texts) {
    expect(text).not.toContain(key.slice(8))
    expect(text).not.toContain(encoded)
    expect(text).not.toContain(btoa(key).slice(0, 40))
  }
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a gateway says what there is to do first', async () => {
  await connector('keys', 'revoke', keyId, ...queue)
  const { next, url } = await serve()
  await next('There are no topics yet: no connector has run with this queue.')
  await next(`There is no API key yet. Create one: connector keys create --name NAME --queue embedded:${folder}`)
  await next(`Read records: curl -H "Authorization: Bearer $KEY" '${url}/api/v1/topics'`)
})

test.each([[], ['--gateways', '2']])('a key for one run works until its end, with %j', async (...args) => {
  const { process, url, next } = await serve('--with-key', ...args)
  const { msg } = await next(/^Read records: /)
  const made = /Bearer (hr_test_\w+)/.exec(String(msg))![1]!
  const topics = () => fetch(`${url}/api/v1/topics`, { headers: { authorization: `Bearer ${made}` } })
  await expect.poll(async () => (await topics()).status).toBe(200)
  process.child.kill('SIGTERM')
  expect(await process.ended).toMatchObject({ code: 0, stdout: `${url}\n${made}\n` })
  const { stdout } = await connector('keys', 'list', '--all', '--json', ...queue)
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(listed.map(({ name, state }) => [name, state])).toEqual(
    expect.arrayContaining([['serve --with-key', 'revoked']]),
  )
})

test('a key for one run is for development only', async () => {
  const { code, stderr } = await connector('serve', '--with-key', '--environment', 'production', ...queue)
  expect(code).toBe(2)
  expect(stderr).toContain('--with-key needs --environment development')
})
