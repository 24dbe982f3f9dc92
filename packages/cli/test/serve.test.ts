import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { systemTopics } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { Pool } from 'undici'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type CommandResult, runInProcess } from './command-in-process.ts'
import { type ConnectorProcess, connector, startConnector } from './whole-path/connector-process.ts'

let folder: string
let queue: string[]
let key: string
let keyId: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-serve-'))
  queue = ['--queue', `embedded:${folder}`]
  const created = await connector('keys', 'create', '--name', 'test', ...queue, '--json')
  const made = JSON.parse(created.stdout)
  key = made.key
  keyId = made.id
})
afterEach(() => rm(folder, { recursive: true }))

interface Serving {
  readonly url: string
  readonly log: Record<string, unknown>[]
  /** Waits for a line with this message after the last one that was found. */
  next(message: string | RegExp): Promise<Record<string, unknown>>
}

/** Serves until `stop` is called. */
interface ServingHere extends Serving {
  stop(): Promise<CommandResult>
}

/** Serves in a process, which has others for its gateways. */
interface ServingProcess extends Serving {
  readonly process: ConnectorProcess
}

async function serve(...args: string[]): Promise<ServingHere> {
  const controller = new AbortController()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const ended = runInProcess(['serve', '--port', '0', ...queue, ...args], {
    variables: process.env,
    signal: controller.signal,
    onOutput: (text) => stdout.write(text),
    onError: (text) => stderr.write(text),
  })
  const stop = () => {
    controller.abort()
    return ended
  }
  onTestFinished(async () => void (await stop()))
  return { ...(await readServing(stdout, stderr)), stop }
}

async function serveInProcesses(...args: string[]): Promise<ServingProcess> {
  const process = startConnector(['serve', '--port', '0', ...queue, ...args])
  onTestFinished(async () => {
    process.child.kill('SIGKILL')
    await process.ended
  })
  return { ...(await readServing(process.child.stdout!, process.child.stderr!)), process }
}

async function readServing(stdout: Readable, stderr: Readable): Promise<Serving> {
  const log: Record<string, unknown>[] = []
  const taken = new Set<unknown>()
  const lines = createInterface(stderr)
  lines.on('line', (line) => log.push(JSON.parse(line)))
  const [url] = (await once(createInterface(stdout), 'line')) as [string]
  return {
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

test('several gateways answer in turn at one port, have one metrics port, and accept a key for one run until the run ends', async () => {
  const gateways = await serveInProcesses('--gateways', '2', '--metrics-port', '0', '--with-key')
  const metrics = await metricsOf(gateways)
  const policies = new Set<string | null>()
  for (let n = 0; n < 6; n++) {
    const response = await get(gateways.url, '/api/v1/topics')
    expect(response.status).toBe(200)
    policies.add(response.headers.get('ratelimit-policy'))
    await response.text()
    const page = await fetch(gateways.url, { headers: { accept: 'text/html', connection: 'close' } })
    expect(await page.text()).toMatch(/^<!doctype html>/)
  }
  expect([...policies]).toEqual(['"key";q=200;w=2'])
  const sockets = await openInTurn(gateways.url, 4)
  const text = await metrics()
  expect(gatewaysIn(text)).toEqual(new Set(['1', '2']))
  expect(text.match(/# TYPE headrace_gateway_connections gauge/g)).toHaveLength(1)
  for (const number of [1, 2])
    expect(text).toContain(`headrace_gateway_connections{protocol="websocket",gateway="${number}"} 2`)
  const made = await keyOfRun(gateways)

  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
  gateways.process.child.kill('SIGTERM')
  for (const [code] of await closed) expect(code).toBe(1012)
  const { code, stdout: printed } = await gateways.process.ended
  expect([code, ...printed.split('\n').slice(0, 2)]).toEqual([0, gateways.url, made])
  expect(new Set(gateways.log.filter(({ msg }) => msg === 'stopping').map(({ gateway }) => gateway))).toEqual(
    new Set([undefined, 1, 2]),
  )
  const { stdout } = await connector('keys', 'usage', keyId, ...queue, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ key: keyId, requests: 6 + 4, refused: 0 })
  await expectRevoked()
})

/** Stores a key that gets no new requests during a test. */
async function createSlowKey(options: { readonly burst: number; readonly connections: number }): Promise<string> {
  const opened = await openQueue(`embedded:${folder}`)
  const { key, id } = await createKey(opened, { name: 'slow', environment: 'development', ...options })
  const { value } = (await opened.latest(systemTopics.keys, 0, Buffer.from(id)))!
  const slow = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(value!).toString()), rate: 0.0001 }))
  await opened.append([{ topic: systemTopics.keys, key: Buffer.from(id), value: slow, time: Date.now() }])
  await opened.close()
  return key
}

/** The statuses of requests in parallel, over this number of connections. */
async function statusesOf(
  url: string,
  key: string,
  { requests, connections }: { readonly requests: number; readonly connections: number },
): Promise<number[]> {
  const pool = new Pool(url, { connections })
  const send = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/api/v1/topics', headers })
    await body.dump()
    return statusCode
  }
  const statuses = await Promise.all(Array.from({ length: requests }, send))
  await pool.close()
  return statuses
}

test.each(['1', '4'])('%s gateways allow a key exactly its burst and its connections', async (count) => {
  const spent = await createSlowKey({ burst: 90, connections: 1 })
  const connected = await createSlowKey({ burst: 1000, connections: 5 })
  const { url, next } = await serveInProcesses('--gateways', count)
  expect(await statusesOf(url, spent, { requests: 40, connections: 1 })).toEqual(Array.from({ length: 40 }, () => 200))
  const statuses = await statusesOf(url, spent, { requests: 200, connections: 50 })
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 429)).toHaveLength(150)

  const open = async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1?api_key=${connected}`)
    const [opened] = await Promise.race([once(socket, 'open').then(() => [socket]), once(socket, 'error')])
    return opened === socket ? [socket] : []
  }
  const openMany = async (count: number) => (await Promise.all(Array.from({ length: count }, open))).flat()
  const parallel = await openMany(12)
  expect(parallel).toHaveLength(5)
  for (const socket of parallel) socket.close()
  let sockets: WebSocket[] = []
  // In turn and without a refusal between them, so that every gateway has one.
  while (sockets.length < 5) {
    const [socket] = await open()
    if (!socket) for (const each of sockets) each.terminate()
    sockets = socket ? [...sockets, socket] : []
  }
  const closed = new Set<WebSocket>()
  for (const socket of sockets) socket.once('close', () => closed.add(socket))
  if (count === '1') sockets[0]!.close()
  else process.kill((await next('gateway process started')).pid as number, 'SIGKILL')
  await expect.poll(() => closed.size).toBeGreaterThan(0)
  const again: WebSocket[] = []
  await expect.poll(async () => again.push(...(await openMany(6)))).toBe(closed.size)
  for (const socket of [...sockets, ...again]) socket.terminate()
})

test('a gateway process that dies is restarted while the others continue, and all end when the first process is killed', async () => {
  const gateways = await serveInProcesses('--gateways', '2', '--metrics-port', '0')
  const metrics = await metricsOf(gateways)
  const sockets = await openInTurn(gateways.url, 2)
  const closes = sockets.map((socket) => once(socket, 'close').then(() => socket))
  const startOf = async (number: number) =>
    new RegExp(`process_start_time_seconds\\{gateway="${number}"\\} (\\S+)`).exec(await metrics())?.[1]
  const [first, second] = [await startOf(1), await startOf(2)]
  const started = async () => (await gateways.next('gateway process started')).pid as number
  const pids = [await started(), await started()]
  process.kill(pids[0]!, 'SIGKILL')
  const dead = await gateways.next('gateway process died, starting another one')
  expect(dead).toMatchObject({ gateway: 1, signal: 'SIGKILL', code: null })
  await Promise.race(closes)
  expect((await get(gateways.url, '/health/ready')).status).toBe(200)
  pids.push(await started())
  await expect.poll(() => startOf(1), { timeout: 30_000 }).not.toBeOneOf([first, undefined])
  expect(await startOf(2)).toBe(second)
  expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(1)
  for (const socket of sockets) socket.terminate()
  expect(pids.map(isRunning)).toEqual([false, true, true])
  gateways.process.child.kill('SIGKILL')
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([])
})

test('several gateways that get a signal while they start end', async () => {
  const { child, ended } = startConnector(['serve', '--port', '0', '--gateways', '2', ...queue])
  await once(createInterface(child.stderr!), 'line')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, signal: null, stdout: '' })
})

test('several gateways that get a signal from the terminal while they start end', async () => {
  const args = ['serve', '--port', '0', '--gateways', '2', ...queue]
  const { child, ended } = startConnector(args, {}, { detached: true })
  await once(createInterface(child.stderr!), 'line')
  // The terminal sends SIGINT to all processes of the command. Some have no handler yet.
  process.kill(-child.pid!, 'SIGINT')
  expect(await ended).toMatchObject({ code: 0, signal: null, stdout: '' })
})

test.each(['1', '2'])('with %s gateways a port in use is reported, and no process keeps running', async (count) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const args = ['serve', '--port', `${port}`, '--gateways', count, ...queue]
  const ended = await (count === '1' ? runInProcess(args) : startConnector(args).ended)
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
  const { stdout, stderr, code } = await gateway.stop()
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

test('a gateway of an empty queue logs the first steps', async () => {
  await connector('keys', 'revoke', keyId, ...queue)
  const { next, url, stop } = await serve()
  await next('There are no topics yet: no connector has run with this queue.')
  await next(`There is no API key yet. Create one: connector keys create --name NAME --queue embedded:${folder}`)
  await next(`Read records: curl -H "Authorization: Bearer $KEY" '${url}/api/v1/topics'`)
  expect(await stop()).toMatchObject({ code: 0 })
})

test('a key for one run is valid until the run ends', async () => {
  const gateway = await serve('--with-key')
  const made = await keyOfRun(gateway)
  const { code, stdout } = await gateway.stop()
  expect([code, ...stdout.split('\n').slice(0, 2)]).toEqual([0, gateway.url, made])
  await expectRevoked()
})

/** Returns the key that the log shows, when it is accepted. */
async function keyOfRun({ url, next }: Serving): Promise<string> {
  const { msg } = await next(/^Read records: /)
  const made = /Bearer (hr_test_\w+)/.exec(String(msg))![1]!
  const topics = () => fetch(`${url}/api/v1/topics`, { headers: { authorization: `Bearer ${made}` } })
  await expect.poll(async () => (await topics()).status).toBe(200)
  return made
}

async function expectRevoked(): Promise<void> {
  const { stdout } = await connector('keys', 'list', '--all', '--json', ...queue)
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(listed.map(({ name, state }) => [name, state])).toEqual(expect.arrayContaining([['serve', 'revoked']]))
}

test.each([
  [['--keyless-rate', '5', '--keyless-burst', '5'], '--public-topics and a --keyless-rate above 0 need each other'],
  [['--public-topics', 'a.*'], '--public-topics and a --keyless-rate above 0 need each other'],
  [['--keyless-rate', '5', '--public-topics', 'a.*'], '--keyless-rate and --keyless-burst'],
])('serve %j is wrong usage', async (args, message) => {
  const { code, stderr } = await runInProcess(['serve', ...args, ...queue])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})

test('a key for one run is for development only', async () => {
  const { code, stderr } = await runInProcess(['serve', '--with-key', '--environment', 'production', ...queue])
  expect(code).toBe(2)
  expect(stderr).toContain('--with-key needs --environment development')
})
