import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemTopics } from '@headrace/catalog'
import { openQueue, type Queue } from '@headrace/queue'
import {
  type ApiKey,
  createGateway,
  createKey,
  type Gateway,
  type GatewayLimits,
  type GatewayOptions,
  type NewKey,
  revokeKey,
} from '@headrace/server'
import { pino } from 'pino'
import { openShop, type Shop } from './shop.ts'

export const orders = 'acme.shop.1_0_0.shop_Order'
export const returns = 'acme.shop.1_0_0.shop_Return'

/** A gateway with two topics of orders and a key for both. */
export interface ServedShop extends Shop, AsyncDisposable {
  readonly queue: Queue
  readonly queueUrl: string
  readonly gateway: Gateway
  readonly url: string
  readonly key: string
  readonly keyId: string
  /** The log of the gateway. */
  readonly logged: string[]
  /** Waits for the first entry with this message and these fields. */
  logs(message: string, fields?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>
  /** Waits until the gateway serves a topic. */
  waitForTopic(topic: string): Promise<void>
  /** Starts another gateway of the same queue. */
  startAnother(options?: Partial<GatewayOptions>): Promise<Gateway>
  /** GET with the key, or with other headers. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** The JSON of a GET with the key. */
  json<T = unknown>(path: string): Promise<T>
  /** Creates a key, and waits until the gateway accepts it. */
  addKey(key?: Partial<NewKey>): Promise<{ key: string; id: string }>
  /** A token that the gateway creates. */
  createToken(key: string, request?: Readonly<Record<string, unknown>>): Promise<string>
  revokeKey(id: string): Promise<void>
  /** Stores a changed key. */
  changeKey(id: string, change: Partial<ApiKey>): Promise<void>
  /** Waits until a gateway accepts a key. */
  waitForKey(url: string, key: string): Promise<void>
}

export interface ServeShopOptions {
  readonly limits?: Partial<GatewayLimits>
  /** Default: a new embedded queue. */
  readonly queueUrl?: string
  readonly topics?: readonly string[]
  /** Folder of the page that the gateway serves. Default: none. */
  readonly explorer?: string
}

export async function serveShop(options: ServeShopOptions = {}): Promise<ServedShop> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-server-'))
  const queueUrl = options.queueUrl ?? `embedded:${directory}`
  const queue = await openQueue(queueUrl)
  const shop = await openShop(queue, options.topics ?? [orders, returns])
  const logged: string[] = []
  const lines = new EventEmitter()
  const write = (line: string) => {
    logged.push(line)
    lines.emit('line')
  }
  const start = (others: Partial<GatewayOptions> = {}) =>
    createGateway({
      ...{ queue, port: 0, log: pino({ level: 'debug' }, { write }) },
      ...(options.limits && { limits: options.limits }),
      ...(options.explorer && { explorer: options.explorer }),
      ...others,
    })
  const gateway = await start()
  const addKey = async (key: Partial<NewKey> = {}) => {
    const created = await createKey(queue, { name: 'test', environment: 'development', ...key })
    await waitForKey(gateway.url, created.key)
    return created
  }
  const { key, id: keyId } = await addKey({ rate: 100_000, burst: 100_000 })
  const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
    fetch(gateway.url + path, { headers })
  return {
    ...shop,
    queue,
    queueUrl,
    gateway,
    url: gateway.url,
    key,
    keyId,
    logged,
    async logs(message, fields = {}) {
      for (;;) {
        const found = logged
          .map((line) => JSON.parse(line))
          .find((line) => line.msg === message && Object.entries(fields).every(([name, value]) => line[name] === value))
        if (found) return found
        await once(lines, 'line', { signal: AbortSignal.timeout(20_000) })
      }
    },
    async waitForTopic(topic) {
      const deadline = Date.now() + 20_000
      while ((await get(`/api/v1/topics/${topic}`)).status !== 200)
        if (Date.now() > deadline) throw new Error(`The gateway does not serve ${topic} in time.`)
    },
    startAnother: start,
    get,
    json: async <T>(path: string) => (await (await get(path)).json()) as T,
    addKey,
    async createToken(key, request = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify(request)
      const response = await fetch(`${gateway.url}/api/v1/tokens`, { method: 'POST', headers, body })
      return ((await response.json()) as { token: string }).token
    },
    revokeKey: (id) => revokeKey(queue, id),
    async changeKey(id, change) {
      const record = await queue.latest(systemTopics.keys, 0, Buffer.from(id))
      const value = { ...JSON.parse(Buffer.from(record!.value!).toString()), ...change }
      await queue.append([
        {
          topic: systemTopics.keys,
          key: Buffer.from(id),
          value: Buffer.from(JSON.stringify(value)),
          time: Date.now(),
        },
      ])
    },
    waitForKey,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await queue.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** A gateway accepts a key a moment after its creation. */
async function waitForKey(url: string, key: string): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const response = await fetch(`${url}/ws/v1`, { headers: { authorization: `Bearer ${key}` } })
    const { code } = (await response.json()) as { code: string }
    if (code !== 'invalid_key') return
    if (Date.now() > deadline) throw new Error('The gateway does not accept the key in time.')
  }
}
