import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RpcError, RpcOverloadedError, RpcRefusedError, RpcUnavailableError } from '../errors.ts'
import { createRpcEndpoint, type RpcEndpoint } from './endpoint.ts'

const key = 'k3y-0123456789abcdef'
const call = { method: 'eth_blockNumber', params: [] }
let server: Server
let endpoint: RpcEndpoint
/** What the server answers. */
let answer: { status: number; body: string }

beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status, { location: '/' }).end(answer.body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  endpoint = createRpcEndpoint(`http://127.0.0.1:${port}/${key}`, { place: 1, timeoutMs: 30_000 })
})
afterEach(async () => {
  await endpoint.close()
  server.close()
})

async function failureOf(status: number, body: string, calls: Parameters<RpcEndpoint['send']>[0] = call) {
  answer = { status, body }
  const failure = await endpoint.send(calls).catch((error: Error) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(String(failure)).not.toContain(key)
  if ('method' in calls)
    await expect(endpoint.sendForJson(calls)).rejects.toThrow(
      expect.objectContaining({ name: (failure as Error).name, message: (failure as Error).message }),
    )
  return failure as Error
}

const jsonError = (message: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message } })

describe('the status of an answer', () => {
  test.each([401, 402, 403, 407])('%i is a refusal of this client, whatever the body contains', async (status) => {
    for (const body of ['', jsonError(`unknown key ${key}`), '{"error":"invalid api key"}'])
      expect(await failureOf(status, body)).toBeInstanceOf(RpcRefusedError)
  })

  test.each([301, 302, 404, 405, 410])('%i means that the URL is not a JSON-RPC endpoint', async (status) => {
    expect(await failureOf(status, 'Not here.')).toBeInstanceOf(RpcRefusedError)
  })

  test.each([400, 404, 408, 422, 500, 503])('%i with a JSON-RPC error is reported as that error', async (status) => {
    const failure = await failureOf(status, jsonError('header not found'))
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure.message).toContain('header not found')
  })

  test.each([400, 408, 422, 500, 502, 503])('%i without a JSON-RPC error is temporary', async (status) => {
    expect(await failureOf(status, '<html>')).toBeInstanceOf(RpcUnavailableError)
  })

  test.each([429, 413])('%i is an overload', async (status) => {
    expect(await failureOf(status, '{}')).toBeInstanceOf(RpcOverloadedError)
  })
})

describe('a JSON-RPC error', () => {
  test('that is a string is shown unchanged', async () => {
    const failure = await failureOf(200, `{"error":"invalid api key ${key}"}`)
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure.message).toContain('answered eth_blockNumber with error: invalid api key ***.')
  })

  test('of another shape is shown as JSON', async () => {
    expect((await failureOf(200, '{"error":{"reason":"no"}}')).message).toContain('error: {"reason":"no"}.')
  })

  test('is shown with its data', async () => {
    const failure = await failureOf(200, '{"error":{"code":-32602,"message":"Invalid params","data":{"range":"2000"}}}')
    expect(failure.message).toContain('error -32602: Invalid params ({"range":"2000"}).')
  })

  test('has the number that the node gives', async () => {
    expect(await failureOf(200, jsonError('header not found'))).toMatchObject({ rpcCode: -32000, calls: 1 })
  })
})

describe('a batch', () => {
  test('that is rejected as a whole fails with its number of calls', async () => {
    expect(await failureOf(200, jsonError('no'), [call, call, call])).toMatchObject({ rpcCode: -32000, calls: 3 })
  })

  test('that is rejected by status alone is too large', async () => {
    expect(await failureOf(400, 'Bad Request', [call, call])).toMatchObject({ overload: 'too_large' })
  })

  test('with one failing call fails with the error of that call', async () => {
    const body = '[{"id":1,"result":"0x1"},{"id":2,"error":{"code":3,"message":"reverted"}}]'
    expect(await failureOf(200, body, [call, call])).toMatchObject({ rpcCode: 3, calls: 1 })
  })

  test('with a missing answer is invalid', async () => {
    expect(await failureOf(200, '[{"id":1,"result":"0x1"}]', [call, call])).toBeInstanceOf(RpcUnavailableError)
  })
})
