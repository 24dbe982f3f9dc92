import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { loadProject } from '@headrace/catalog'
import { applyChanges, compareFolder, generateCode } from '@headrace/codegen'
import type { Connector, Schema } from '@headrace/sdk'
import { createFaultyQueue, createTestProject, testConnector } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { compilerOutput } from '../../testbed/guide/compile.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/guides/cookbook.md'), 'utf8')
// Inside the repository, so that the packages are found as in a project that has installed them.
mkdirSync(join(root, '.cache'), { recursive: true })
const home = mkdtempSync(join(root, '.cache', 'cookbook-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

beforeAll(async () => {
  for (const section of page.split('\n## ').slice(1)) {
    const code = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)![1]!
    const name = /^package: (\w+)$/m.exec(code('yaml'))![1]!
    const folder = join(home, name)
    mkdirSync(join(folder, 'src'), { recursive: true })
    writeFileSync(join(folder, 'manifest.yaml'), code('yaml'))
    writeFileSync(join(folder, `${name}.proto`), code('proto'))
    // Small units, because the test kit repeats the run with a fault at every record.
    writeFileSync(join(folder, 'src/connector.ts'), code('ts').replace('unitLines = 1000', 'unitLines = 2'))
    const { project, problems } = await loadProject(folder)
    expect(problems).toEqual([])
    const generated = join(folder, 'src/generated')
    await applyChanges(generated, await compareFolder(generated, await generateCode(project!)))
  }
})

async function recipe<C>(name: string): Promise<{ folder: string; connector: Connector<Schema, C> }> {
  const folder = join(home, name)
  const { default: connector } = await import(join(folder, 'src/connector.ts'))
  return { folder, connector }
}

test('every recipe compiles', async () => {
  expect(await compilerOutput(home, ['*/src'])).toBe('')
})

test('an API with authentication is read once, with tokens that expire', async () => {
  const payments = [1, 2, 3, 4].map((id) => ({ id, amount: `${id}.00` }))
  let shown = 0
  let uses = 0
  const url = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    const authorization = request.headers.authorization
    if (pathname === '/token') {
      if (authorization !== `Basic ${btoa('me:secret')}`) return response.writeHead(401).end()
      uses = 2
      return response.end('{"access_token":"t"}')
    }
    if (authorization !== 'Bearer t' || uses-- <= 0) return response.writeHead(401).end()
    const after = Number(searchParams.get('after'))
    response.end(JSON.stringify(payments.slice(0, shown).filter(({ id }) => id > after)))
  })
  const { folder, connector } = await recipe<{ id: number }>('payments')
  const settings = { url, clientId: 'me', clientSecret: 'secret', poll: 0.001 }
  const show = (count: number) => () => {
    shown = count
  }
  const until = ({ id }: { id: number }, state: number) => id === [2, 4][state]
  await testConnector({ connector, folder, settings, states: [show(2), show(4)], until, stride: 40 })

  await using refused = await createTestProject(folder, { settings: { ...settings, clientSecret: 'wrong' } })
  await expect(refused.run(connector)).rejects.toMatchObject({ code: 'credentials_refused' })
})

test('pages are published once, each whole', async () => {
  const entries = Array.from({ length: 6 }, (_, index) => ({ id: `e${index}`, action: 'login' }))
  let shown = 0
  const url = await serve((request, response) => {
    const from = Number(new URL(request.url!, 'http://localhost').searchParams.get('cursor'))
    const items = entries.slice(from, Math.min(from + 2, shown))
    response.end(JSON.stringify({ items, next: String(from + items.length) }))
  })
  const { folder, connector } = await recipe<{ cursor: string }>('audit')
  const show = (count: number) => () => {
    shown = count
  }
  const until = ({ cursor }: { cursor: string }, state: number) => cursor === ['4', '6'][state]
  await testConnector({
    ...{ connector, folder, settings: { url, poll: 0.001 } },
    ...{ states: [show(4), show(6)], until, stride: 40 },
  })
})

test('each version of an item is published once, also if several have the same time', async () => {
  type Position = { time: string; ids: readonly string[] }
  const version = (id: string, stock: number, updatedAt: string) => ({ id, name: id, stock, updatedAt })
  const first = [version('a', 1, 't1'), version('b', 1, 't1')]
  const later = [version('b', 1, 't1'), version('c', 5, 't1'), version('a', 2, 't2')]
  let items = first
  const url = await serve((request, response) => {
    const since = new URL(request.url!, 'http://localhost').searchParams.get('updated_since')!
    response.end(JSON.stringify(items.filter(({ updatedAt }) => updatedAt >= since)))
  })
  const { folder, connector } = await recipe<Position>('stock')
  const unit = (time: string, ids: string[], stock: number) => ({
    checkpoint: { time, ids },
    messages: { Product: [{ id: ids.at(-1), name: ids.at(-1), stock, updated_at: time }] },
  })
  await testConnector({
    ...{ connector, folder, settings: { url, poll: 0.001 }, stride: 40 },
    states: [first, later].map((list) => () => {
      items = list
    }),
    until: ({ time, ids }, state) => (state === 0 ? ids.length === 2 : time === 't2'),
    units: [unit('t1', ['a'], 1), unit('t1', ['a', 'b'], 1), unit('t1', ['a', 'b', 'c'], 5), unit('t2', ['a'], 2)],
  })
})

test('a delivery that was answered is published once, however often it is sent and wherever the run crashes', async () => {
  const { folder, connector } = await recipe<{ number: number }>('hooks')
  const port = await freePort()
  const settings = { port, secret: 's', inbox: join(folder, 'inbox.sqlite') }
  await using project = await createTestProject(folder, { settings })
  const retry = { firstMs: 1, maxMs: 10, budgetMs: 60_000 }

  const crash = [{ step: 'commit', time: 1, error: new Error('crashed') } as const]
  const queue = createFaultyQueue(project.queue, crash)
  const crashing = project.run(connector, { queue, retry, oneByOne: true, stopAfter: 1 })
  const crashed = expect(crashing).rejects.toThrow('crashed')
  const first = deliver(port, 'd1', 'one')
  await crashed
  expect(await project.records('Delivery')).toEqual([])

  // Deliveries that were stored before the crash are published now. A repeated request is the same delivery.
  const stop = new AbortController()
  const running = project.run(connector, { signal: stop.signal, retry })
  expect(await first).toBe(204)
  expect(await deliver(port, 'd2', 'two')).toBe(204)
  expect(await deliver(port, 'd1', 'one')).toBe(204)
  expect(await deliver(port, 'd3', 'forged', 'another secret')).toBe(401)
  expect(await deliver(port, 'd3', 'three')).toBe(204)
  await expect.poll(() => project.records('Delivery')).toHaveLength(3)
  stop.abort()
  await running
  const published = async () => (await project.records('Delivery')).map(({ seq, value }) => [seq, value])
  const all = [
    [0, { id: 'd1', body: 'one' }],
    [1, { id: 'd2', body: 'two' }],
    [2, { id: 'd3', body: 'three' }],
  ]
  expect(await published()).toEqual(all)

  rmSync(settings.inbox)
  await expect(project.run(connector, { retry })).rejects.toMatchObject({ code: 'inbox_lost' })
  expect(await published()).toEqual(all)
})

test('lines of files are published once, including lines that are added later', async () => {
  const { folder, connector } = await recipe<{ file: string; line: number }>('readings')
  const drop = join(folder, 'drop')
  const put = (name: string, count: number) => {
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ sensor: name, value: index }))
    writeFileSync(join(drop, name), `${lines.join('\n')}\n`)
  }
  const states = [
    () => {
      rmSync(drop, { recursive: true, force: true })
      mkdirSync(drop)
      put('1.ndjson', 3)
    },
    () => {
      put('2.ndjson', 2)
      writeFileSync(join(drop, '3.tmp'), 'half a li')
    },
  ]
  const until = ({ file }: { file: string }, state: number) => file === ['1.ndjson', '2.ndjson'][state]
  await testConnector({
    ...{ connector, folder, settings: { folder: drop, poll: 0.001 }, states, stride: 40 },
    until: (position, state) => until(position, state) && position.line === [3, 2][state],
  })
})

test('rows of a table are published once', async () => {
  const { folder, connector } = await recipe<{ id: number }>('orders')
  const file = join(folder, 'orders.sqlite')
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT, cents INTEGER)')
  const fill = (upTo: number) => () => {
    database.prepare('DELETE FROM orders WHERE id > ?').run(upTo)
    const insert = database.prepare('INSERT OR IGNORE INTO orders VALUES (?, ?, ?)')
    for (let id = 1; id <= upTo; id++) insert.run(id, `c${id}`, id * 100)
  }
  const until = ({ id }: { id: number }, state: number) => id === [2, 4][state]
  await testConnector({
    ...{ connector, folder, settings: { database: file, poll: 0.001 } },
    ...{ states: [fill(2), fill(4)], until, stride: 40 },
  })
})

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

/** Repeats the request until it is answered, as a sender does. */
async function deliver(port: number, id: string, body: string, secret = 's'): Promise<number> {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'x-delivery': id, 'x-signature': signature }
  for (;;) {
    const url = `http://127.0.0.1:${port}/`
    const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined)
    if (answer) return answer.status
    await setTimeout(5)
  }
}
