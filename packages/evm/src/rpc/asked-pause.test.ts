import { pino } from 'pino'
import { expect, test } from 'vitest'
import { RpcOverloadedError } from '../errors.ts'
import type { ConnectHttp } from './http-connection.ts'
import { createRpc } from './rpc.ts'

test('a pause that an endpoint requests begins at once, while another call of the same request is pending', async () => {
  const asked: string[] = []
  const connect: ConnectHttp = () => ({
    async post({ body }) {
      const { id, method } = JSON.parse(body)
      asked.push(method)
      if (method === 'eth_chainId')
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ id, result: '0x1' })) }
      if (method === 'eth_call') return new Promise(() => {})
      return { status: 429, headers: { 'retry-after': '120' }, body: Buffer.alloc(0) }
    },
    close: async () => {},
  })
  const rpc = createRpc({ rpc: 'http://node.test', connect, log: pino({ level: 'silent' }) })
  const { signal } = new AbortController()
  const pausing = Promise.withResolvers<unknown>()
  void rpc.request({
    what: 'a block and its count',
    send(endpoint, signal) {
      endpoint.send({ method: 'eth_blockNumber', params: [] }, signal).catch(pausing.resolve)
      return endpoint.send({ method: 'eth_call', params: [] }, signal)
    },
    signal,
  })
  expect(await pausing.promise).toBeInstanceOf(RpcOverloadedError)
  const next = rpc.call({ method: 'eth_blockNumber', params: [], read: (result) => result, signal })
  await expect(next).rejects.toThrow(RpcOverloadedError)
  expect(asked.toSorted()).toEqual(['eth_blockNumber', 'eth_call', 'eth_chainId'])
})
