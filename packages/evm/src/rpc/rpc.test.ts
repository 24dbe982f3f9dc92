import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRpc, type Rpc } from './rpc.ts'

let server: Server
let rpc: Rpc

beforeEach(async () => {
  server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rpc = createRpc({ rpc: url, timeout: 3600, log: pino({ level: 'silent' }) })
})
afterEach(async () => {
  await rpc.close()
  server.close()
  server.closeAllConnections()
})

test('an abort ends the wait for a chain id for the aborted caller only', async () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const ask = ({ signal }: AbortController) =>
    rpc.call({ method: 'eth_blockNumber', params: [], read: (result) => result, signal })
  const asked = once(server, 'request')
  const [ofOne, ofOther] = [ask(one), ask(other)]
  const [request, response] = await asked
  const { method, id } = JSON.parse((await request.toArray()).join(''))
  expect(method).toBe('eth_chainId')
  one.abort()
  await expect(ofOne).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  server.on('request', async (request, response) => {
    const { id } = JSON.parse((await request.toArray()).join(''))
    response.end(JSON.stringify({ id, result: '0x7' }))
  })
  response.end(JSON.stringify({ id, result: '0x1' }))
  expect(await ofOther).toBe('0x7')
})
