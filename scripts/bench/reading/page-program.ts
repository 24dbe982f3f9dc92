/**
 * fastify alone, which always sends the same bytes: `/page` as they are, `/gzip` those of the compressed page, `/as-ours`
 * with the other work of a gateway: it looks up a key, sets the same headers and logs the request.
 */
import { hash, randomUUID } from 'node:crypto'
import { type FastifyReply, fastify } from 'fastify'
import { destination, pino } from 'pino'
import { serveCalls } from '../program.ts'

let body = Buffer.alloc(0)
let compressed = Buffer.alloc(0)
const log = pino({ level: 'info' }, destination({ dest: '/dev/null', sync: true }))
const keys = new Map<string, { readonly id: string; requests: number }>()
const app = fastify()
const sendPage = async (_request: unknown, reply: FastifyReply) =>
  reply.type('application/json; charset=utf-8').send(body)

app.get('/page', sendPage)
app.get('/gzip', async (_, reply) =>
  reply.type('application/json; charset=utf-8').header('content-encoding', 'gzip').send(compressed),
)
app.register(async (duties) => {
  duties.addHook('onRequest', (request, reply, done) => {
    const key = keys.get(hash('sha256', request.headers.authorization?.slice('Bearer '.length) ?? '', 'hex'))
    if (!key) return done(new Error('There is no such key.'))
    key.requests++
    reply.headers({
      'x-request-id': randomUUID(),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      vary: 'Origin',
      'ratelimit-policy': '"key";q=1000000;w=1',
      ratelimit: `"key";r=${1_000_000 - (key.requests % 1_000_000)};t=1`,
    })
    done()
  })
  duties.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        remote: request.socket.remoteAddress,
      },
      'request',
    )
    done()
  })
  duties.get('/as-ours', sendPage)
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
serveCalls({
  url: () => url,
  take({ page, gzip, key }: { page: Uint8Array; gzip: Uint8Array; key: string }) {
    body = Buffer.from(page)
    compressed = Buffer.from(gzip)
    keys.set(hash('sha256', key, 'hex'), { id: 'bench', requests: 0 })
  },
})
