import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RpcError, RpcUnavailableError } from '../errors.ts'
import { createRpcEndpoint, type RpcEndpoint } from './endpoint.ts'
import { findResult } from './find-result.ts'

const call = { method: 'eth_getBlockByNumber', params: ['0x5', true] }
let server: Server
let endpoint: RpcEndpoint
/** What the server answers. */
let body: string

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  endpoint = createRpcEndpoint(`http://127.0.0.1:${port}`, { place: 1, timeoutMs: 30_000 })
})
afterAll(async () => {
  await endpoint.close()
  server.close()
})

function answered(text: string): Promise<Buffer> {
  body = text
  return endpoint.sendForJson(call)
}

const result = '{"hash":"0x1","result":"0x2","transactions":[{"id":1,"error":null}]}'
const long = `"${'x'.repeat(300)}"`

describe('the result is found', () => {
  test.each<[string, string]>([
    ['after version and id', `{"jsonrpc":"2.0","id":1,"result":${result}}`],
    ['before version and id', `{"result":${result},"jsonrpc":"2.0","id":1}`],
    ['between id and version', `{"id":1,"result":${result},"jsonrpc":"2.0"}`],
    ['alone', `{"result":${result}}`],
    ['with an id that is a text', `{"id":"0","result":${result}}`],
    ['with an id that is null', `{"id":null,"result":${result}}`],
    ['after an error that is null', `{"jsonrpc":"2.0","error":null,"id":1,"result":${result}}`],
    ['before an error that is null', `{"jsonrpc":"2.0","id":1,"result":${result},"error":null}`],
    ['between white space', ` \r\n{ "jsonrpc" :\t"2.0" , "id" : 1 , "result" : ${result} \n} \n`],
  ])('without parsing the answer: %s', async (_, text) => {
    expect(findResult(Buffer.from(text))?.toString()).toBe(result)
    expect((await answered(text)).toString()).toBe(result)
  })

  test.each<[string, string]>([
    ['after an id longer than an envelope', `{"jsonrpc":"2.0","id":${long},"result":${result}}`],
    ['after a member of the server', `{"usage":[1,{"result":2}],"id":1,"result":${result}}`],
    ['after an id with escapes', `{"id":"\\"result\\":","result":${result}}`],
    ['with a name that has an escape', `{"id":1,"\\u0072esult":${result}}`],
    ['after one that is overwritten', `{"result":7,"result":${result}}`],
    ['if it is null, before a member of the server', '{"id":1,"result":null,"usage":{"cost":1}}'],
  ])('by parsing the answer: %s', async (_, text) => {
    const found = await answered(text)
    expect(JSON.parse(found.toString())).toEqual(JSON.parse(text).result)
  })

  test.each(['null', '"0x5"', '7', 'true', '[]', '{}', '""', '"}"', '"a\\"}"', '[{"result":1}]'])(
    'as it is sent: %s',
    async (value) => {
      for (const text of [`{"jsonrpc":"2.0","id":1,"result":${value}}`, `{"result":${value},"id":1}`])
        expect(JSON.parse((await answered(text)).toString())).toEqual(JSON.parse(value))
    },
  )
})

describe('an answer has no result', () => {
  const error = '{"code":-32000,"message":"header not found"}'

  test.each<[string, string]>([
    ['instead of a result', `{"jsonrpc":"2.0","id":1,"error":${error}}`],
    ['after a result that is null', `{"jsonrpc":"2.0","id":1,"result":null,"error":${error}}`],
    ['before a result that is null', `{"jsonrpc":"2.0","id":1,"error":${error},"result":null}`],
  ])('if it has an error %s', async (_, text) => {
    await expect(answered(text)).rejects.toThrow(RpcError)
  })

  test.each<[string, string]>([
    ['is empty', ''],
    ['is not JSON', '<html>'],
    ['has neither', '{"jsonrpc":"2.0","id":1}'],
    ['is a list', `[{"id":1,"result":${result}}]`],
    ['has another version of the name', `{"Result":${result}}`],
    ['is an empty object', '{}'],
  ])('if it %s', async (_, text) => {
    await expect(answered(text)).rejects.toThrow(RpcUnavailableError)
  })

  test('if it ends too early, or what is found is not JSON', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":${result}}`
    for (let length = 0; length < text.length; length++) {
      const found = await answered(text.slice(0, length)).catch((error: Error) => error)
      if (found instanceof Error) expect(found).toBeInstanceOf(RpcUnavailableError)
      else expect(() => JSON.parse(found.toString()), `${length} bytes`).toThrow(SyntaxError)
    }
  })

  test.each([
    `{"id":1,"result":${result},"error":${error}}`,
    `{"id":1,"result":${result},"result":7}`,
    `{"id":1,"result":${result},"id":${long}}`,
    `{"result":{"a":1},"result":${result}}`,
    `{"id":1,"result":${result}]}`,
    `{"id":1,"result":}`,
    `{"id":1,"result":,"id":1}`,
    `{"id":1,"result":"a}`,
  ])('that can be parsed if what is around it is unknown: %s', async (text) => {
    const found = await answered(text).catch((error: Error) => error)
    if (found instanceof Error) expect(found).toBeInstanceOf(RpcUnavailableError)
    else expect(() => JSON.parse(found.toString())).toThrow(SyntaxError)
  })
})
