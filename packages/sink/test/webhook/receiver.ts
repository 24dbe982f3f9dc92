import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SinkRecord } from '@headrace/sink'
import { Webhook } from 'standardwebhooks'

/** How a request is answered. A number is a status. */
export type Reaction = number | 'late' | 'refused' | 'cut' | 'endless' | 'no answer'

export interface Arrival {
  readonly path: string
  readonly id: string
  readonly records: readonly SinkRecord[]
  readonly reaction: Reaction
}

/** Verifies each request with the reference library of Standard Webhooks, and reacts to it as the test says. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly arrivals: readonly Arrival[]
  /** Requests with a wrong signature, or an id that has had other records. */
  readonly mistakes: readonly string[]
  /** Records of a path in the order in which they came first. */
  firstArrivals(path?: string): SinkRecord[]
}

export interface ReceiverOptions {
  readonly secret: string
  /** Default: 200. */
  react?(arrival: Omit<Arrival, 'reaction'>): Reaction
  /** Sent with each answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Of a late answer. */
  readonly lateMs?: number
  /** Default: a free one. */
  readonly port?: number
  /** Of an earlier receiver, which this one continues. */
  readonly arrivals?: Arrival[]
}

const path = '/hook'

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { secret, react = () => 200, lateMs = 500, port = 0, arrivals = [] } = options
  const webhook = new Webhook(secret)
  const mistakes: string[] = []
  const bodies = new Map<string, string>()

  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const id = `${request.headers['webhook-id']}`
    try {
      const { type, data } = webhook.verify(body, request.headers as Record<string, string>) as {
        type: string
        data: SinkRecord | SinkRecord[]
      }
      const records = Array.isArray(data) ? data : [data]
      if (records.some(({ topic }) => topic !== type)) mistakes.push(`${id} has records of another topic`)
      const path = request.url!
      if ((bodies.get(path + id) ?? body) !== body) mistakes.push(`${id} has two bodies`)
      bodies.set(path + id, body)
      const reaction = react({ path, id, records })
      arrivals.push({ path, id, records, reaction })
      answer(reaction, request, response)
    } catch (error) {
      mistakes.push(`${id}: ${error}`)
      response.writeHead(400).end()
    }
  })

  function answer(reaction: Reaction, request: IncomingMessage, response: ServerResponse): void {
    if (typeof reaction === 'number') response.writeHead(reaction, options.headers).end('seen')
    else if (reaction === 'late') setTimeout(() => response.writeHead(200).end(), lateMs)
    else if (reaction === 'refused') request.socket.destroy()
    else if (reaction === 'cut') {
      response.writeHead(500, { 'content-length': 1000 }).write('half')
      setTimeout(() => request.socket.destroy(), 5)
    } else if (reaction === 'endless') {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(20_000)), 5)
      response.on('close', () => clearInterval(timer))
    }
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    arrivals,
    mistakes,
    firstArrivals(of = path) {
      const seen = new Set<string>()
      return arrivals
        .filter(({ path }) => path === of)
        .flatMap(({ records }) => records)
        .filter(({ topic, partition, offset }) => {
          const name = `${topic}/${partition}/${offset}`
          return !seen.has(name) && seen.add(name)
        })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
