import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { type NewHeads, openNewHeads } from '../src/head/new-heads.ts'
import { type EvmSettings, InvalidWsUrlError, readBlocks } from '../src/index.ts'
import { createRecordingSource } from './recording-source.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const key = 'k3y-0123456789abcdef'
/** Longer than a test may take: a block that is read was not found by polling. */
const longMs = 600_000
const never = new AbortController().signal

const settings = (rpc: string, ws: string): EvmSettings => ({
  ...{ rpc, ws, start: 'latest', poll: longMs / 1000, confirmations: 0, finality: 'finalized', verify: 'links' },
  ...{ receipts: false, logs: false },
})

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  await chain.mine(3)
})
afterAll(() => chain?.stop())

test('a block that a node notifies of is read at once, over the WebSocket of anvil', async () => {
  const source = createRecordingSource()
  const blocks = readBlocks(settings(chain.rpc, chain.rpc.replace('http', 'ws')), source)
  await source.take(blocks, 1)
  for (let count = 2; count <= 6; count++) {
    const taken = source.take(blocks, count)
    await chain.mine(1)
    expect(await taken).toHaveLength(count)
  }
  source.stop()
  await expect(source.take(blocks)).rejects.toThrow()
})

describe('a connection', () => {
  let proxy: TcpProxy
  let newHeads: NewHeads
  let logged: string[]
  beforeEach(async () => {
    proxy = await startTcpProxy(chain.rpc)
    logged = []
    const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) })
    newHeads = openNewHeads({ url: `ws://127.0.0.1:${proxy.port}/?key=${key}`, log, silenceMs: 200 })
    // Resolves when the subscription has been answered.
    await newHeads.wait(longMs, never)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    newHeads?.close()
    await proxy?.close()
    expect(logged.join('')).not.toContain(key)
  })

  test('that was closed is reopened, and notifies of blocks missed since', async () => {
    proxy.cut()
    await newHeads.wait(longMs, never)
    expect(proxy.connections).toBe(2)
    const hinted = newHeads.wait(longMs, never)
    await chain.mine(1)
    await hinted
    expect(logged.join('')).toContain('the WebSocket was closed')
  })

  test('that is silent while the head advances is replaced', async () => {
    newHeads.polled(10)
    proxy.silence()
    newHeads.polled(11)
    await delay(250)
    expect(proxy.connections).toBe(1)
    newHeads.polled(12)
    await newHeads.wait(longMs, never)
    expect(proxy.connections).toBe(2)
    const hinted = newHeads.wait(longMs, never)
    await chain.mine(1)
    await hinted
    expect(logged.join('')).toContain('no notifications of new blocks')
  })

  test('that is silent while the head stays is kept', async () => {
    newHeads.polled(10)
    proxy.silence()
    await delay(250)
    newHeads.polled(10)
    newHeads.polled(9)
    expect(logged).toEqual([])
  })

  test('that is silent while the polled head advances is replaced by the source', async () => {
    const source = createRecordingSource()
    const ws = `ws://127.0.0.1:${proxy.port}/?key=${key}`
    const blocks = readBlocks({ ...settings(chain.rpc, ws), poll: 0.02 }, source)
    await source.take(blocks, 1)
    await expect.poll(() => proxy.connections, { timeout: 30_000 }).toBe(2)
    const start = performance.now()
    let elapsedMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => start + elapsedMs)
    for (let count = 2; proxy.connections === 2; count++) {
      proxy.silence()
      const taken = source.take(blocks, count)
      await chain.mine(1)
      await taken
      elapsedMs += 5000
    }
    expect(source.logged.join('')).toContain('no notifications of new blocks')
    source.stop()
    await expect(source.take(blocks)).rejects.toThrow()
  })

  test('to a closed port does not stop the source: the head is polled', async () => {
    await proxy.close()
    const source = createRecordingSource()
    const ws = `ws://127.0.0.1:${proxy.port}/?key=${key}`
    const blocks = readBlocks({ ...settings(chain.rpc, ws), poll: 0.02 }, source)
    await source.take(blocks, 1)
    const taken = source.take(blocks, 2)
    await chain.mine(1)
    await taken
    await expect.poll(() => source.logged.join(''), { timeout: 30_000 }).toContain('the WebSocket was closed')
    expect(source.logged.join('')).not.toContain(key)
    source.stop()
    await expect(source.take(blocks)).rejects.toThrow()
  })
})

describe('notifications', () => {
  let server: WebSocketServer
  let client: WebSocket
  let newHeads: NewHeads
  let connections: number
  beforeEach(async () => {
    connections = 0
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    const listening = once(server, 'listening')
    const subscribed = new Promise<WebSocket>((resolve) => {
      server.on('connection', (socket) => {
        connections++
        socket.on('message', () => {
          socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
          resolve(socket)
        })
      })
    })
    await listening
    const { port } = server.address() as { port: number }
    newHeads = openNewHeads({ url: `ws://127.0.0.1:${port}`, log: pino({ level: 'silent' }), silenceMs: 200 })
    client = await subscribed
    await newHeads.wait(longMs, never)
  })
  afterEach(() => {
    newHeads?.close()
    client?.terminate()
    server?.close()
  })

  /** Resolves when the client has received the hint, because the pong follows it. */
  async function hint(): Promise<void> {
    const answered = new Promise((resolve) => client.once('pong', resolve))
    client.send('{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{}}}')
    client.ping()
    await answered
    await new Promise(setImmediate)
  }

  test('that arrive while no call waits are kept', async () => {
    await hint()
    await newHeads.wait(longMs, never)
  })

  test('that arrive shortly after the polled head do not count as missing, however slow the chain', async () => {
    for (let head = 1; head <= 4; head++) {
      newHeads.polled(head)
      await hint()
      await delay(250)
    }
    await newHeads.wait(longMs, never)
    newHeads.polled(5)
    const hinted = newHeads.wait(longMs, never)
    await hint()
    await hinted
    expect(connections).toBe(1)
  })

  test('that arrive before the polled head do not count as missing', async () => {
    for (let head = 1; head <= 3; head++) {
      await hint()
      newHeads.polled(head)
      await delay(250)
    }
    await newHeads.wait(longMs, never)
    newHeads.polled(4)
    const hinted = newHeads.wait(longMs, never)
    await hint()
    await hinted
    expect(connections).toBe(1)
  })
})

test('a connection that fails is retried until it opens, and then notifies', async () => {
  const [port] = await freePorts(1)
  const closed = Promise.withResolvers<void>()
  const write = (line: string) => line.includes('the WebSocket was closed') && closed.resolve()
  const log = pino({ level: 'trace' }, { write })
  const newHeads = openNewHeads({ url: `ws://127.0.0.1:${port}`, log })
  await closed.promise
  const server = new WebSocketServer({ port: port!, host: '127.0.0.1' })
  server.on('connection', (socket) =>
    socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}')),
  )
  try {
    await newHeads.wait(longMs, never)
  } finally {
    newHeads.close()
    for (const socket of server.clients) socket.terminate()
    server.close()
  }
})

test.each(['http://127.0.0.1', 'nonsense', '127.0.0.1:8546'])('"%s" is refused without showing its key', (url) => {
  const open = () => openNewHeads({ url: `${url}/${key}`, log: pino({ level: 'silent' }) })
  expect(open).toThrow(InvalidWsUrlError)
  expect(open).toThrow('wss://')
  expect(open).not.toThrow(key)
})
