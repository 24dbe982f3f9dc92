/** Nothing but fastify, which sends the same bytes again and again. */
import { fastify } from 'fastify'
import { serveCalls } from '../program.ts'

let body = Buffer.alloc(0)
const app = fastify()
app.get('/page', async (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
serveCalls({
  url: () => url,
  take(page: Uint8Array) {
    body = Buffer.from(page)
  },
})
