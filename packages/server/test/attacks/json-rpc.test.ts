import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type JsonRpcClient } from '../clients/json-rpc-client.ts'
import { returns, type ServedShop, serveShop } from '../shop/served-shop.ts'

let shop: ServedShop
let client: JsonRpcClient
beforeAll(async () => {
  shop = await serveShop()
  client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
})
afterAll(async () => {
  client[Symbol.dispose]()
  await shop[Symbol.asyncDispose]()
})

let marks = 0

/** All answers to a text: the messages before the answer to a later call. */
async function answersTo(text: string): Promise<unknown[]> {
  const before = client.messages.length
  client.ws.send(text)
  const { id } = await client.call('ping', { mark: ++marks })
  return client.messages.slice(
    before,
    client.messages.findIndex((message) => message.id === id),
  )
}

const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: 'pong' })
const failure = (id: unknown, code: number) => ({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } })

// In the order of https://www.jsonrpc.org/specification.
describe('JSON-RPC 2.0', () => {
  test('4: a request has jsonrpc, exactly "2.0"', async () => {
    for (const jsonrpc of ['', '1.0', '2', '2.00', 2, null, undefined])
      expect(await answersTo(JSON.stringify({ jsonrpc, id: 7, method: 'ping' }))).toEqual([failure(null, -32600)])
  })

  test('4: a method is a string', async () => {
    for (const method of [1, null, true, ['ping'], { name: 'ping' }, undefined])
      expect(await answersTo(JSON.stringify({ jsonrpc: '2.0', id: 7, method }))).toEqual([failure(null, -32600)])
  })

  test('4: names that begin with rpc. are reserved', async () => {
    expect(await answersTo('{"jsonrpc":"2.0","id":7,"method":"rpc.discover"}')).toEqual([failure(7, -32601)])
  })

  test('4: an id is a string, a number or null, and is repeated unchanged', async () => {
    for (const id of ['', 'a', '7', '\u0000"\\😀', 0, -1, 7, 1.5, 2 ** 53 - 1, null])
      expect(await answersTo(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))).toEqual([pong(id)])
  })

  test('4: a request with another id is invalid', async () => {
    for (const id of ['true', '[1]', '{"a":1}'])
      expect(await answersTo(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toEqual([failure(null, -32600)])
  })

  test('4: a request with a number that would be rounded is invalid', async () => {
    for (const id of ['9007199254740993', '12345678901234567890', '1e400'])
      expect(await answersTo(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toEqual([failure(null, -32600)])
  })

  test('4.1: a notification is executed and never answered, even if it fails', async () => {
    expect(await answersTo('{"jsonrpc":"2.0","method":"ping"}')).toEqual([])
    expect(await answersTo('{"jsonrpc":"2.0","method":"no such method"}')).toEqual([])
    expect(await answersTo('{"jsonrpc":"2.0","method":"subscribe","params":{"topics":["no.such"]}}')).toEqual([])
    expect(await answersTo(`{"jsonrpc":"2.0","method":"subscribe","params":{"topics":["${returns}"]}}`)).toEqual([])
    expect((await client.call('unsubscribe')).result!.topics).toMatchObject([{ topic: returns }])
  })

  test('4.2: params are structured or absent', async () => {
    for (const params of ['"bar"', '7', 'true', 'null'])
      expect(await answersTo(`{"jsonrpc":"2.0","id":7,"method":"ping","params":${params}}`)).toEqual([
        failure(null, -32600),
      ])
  })

  test('4.2: params by position are refused, because they are named here', async () => {
    expect(await answersTo(`{"jsonrpc":"2.0","id":7,"method":"subscribe","params":["${returns}"]}`)).toMatchObject([
      { id: 7, error: { code: -32602 } },
    ])
  })

  test('5.1: an unknown method is an error', async () => {
    for (const method of ['foobar', '', 'toString', '__proto__', 'constructor'])
      expect(await answersTo(JSON.stringify({ jsonrpc: '2.0', id: '1', method }))).toEqual([failure('1', -32601)])
  })

  test('5.1: a message that is not JSON is a parse error', async () => {
    const texts = [
      '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
      '[{"jsonrpc":"2.0","method":"ping","id":"1"},{"jsonrpc":"2.0","method"]',
      '',
      ' ',
      '{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}',
      "{'jsonrpc':'2.0','id':7,'method':'ping'}",
      '[[[[',
      '['.repeat(60_000),
    ]
    for (const text of texts) expect(await answersTo(text)).toEqual([failure(null, -32700)])
  })

  test('5.1: JSON that is not a request is an invalid request', async () => {
    for (const text of ['1', 'null', 'true', '"ping"', '{}', '{"jsonrpc":"2.0","method":1,"params":"bar"}'])
      expect(await answersTo(text)).toEqual([failure(null, -32600)])
    expect(await answersTo(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toEqual([[failure(null, -32600)]])
  })

  test('6: an empty batch is answered with one error', async () => {
    expect(await answersTo('[]')).toEqual([failure(null, -32600)])
  })

  test('6: each invalid member of a batch is answered with an error', async () => {
    expect(await answersTo('[1]')).toEqual([[failure(null, -32600)]])
    expect(await answersTo('[1,2,3]')).toEqual([Array(3).fill(failure(null, -32600))])
  })

  test('6: a batch is answered with one message', async () => {
    const batch = [
      { jsonrpc: '2.0', method: 'ping', id: '1' },
      { jsonrpc: '2.0', method: 'ping' },
      { jsonrpc: '2.0', method: 'ping', params: {}, id: '2' },
      { foo: 'boo' },
      { jsonrpc: '2.0', method: 'foo.get', params: { name: 'myself' }, id: '5' },
      { jsonrpc: '2.0', method: 'ping', id: null },
    ]
    expect(await answersTo(JSON.stringify(batch))).toEqual([
      [pong('1'), pong('2'), failure(null, -32600), failure('5', -32601), pong(null)],
    ])
  })

  test('6: a batch of notifications is not answered, not even with an empty batch', async () => {
    const batch = [
      { jsonrpc: '2.0', method: 'ping' },
      { jsonrpc: '2.0', method: 'foo.get' },
    ]
    expect(await answersTo(JSON.stringify(batch))).toEqual([])
  })

  test('6: a batch of more than 20 is refused as a whole', async () => {
    const batch = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    expect(await answersTo(batch(20))).toEqual([Array.from({ length: 20 }, (_, id) => pong(id))])
    expect(await answersTo(batch(21))).toEqual([failure(null, -32600)])
  })

  test('a method that fails answers with an error and no result', async () => {
    const [answer] = await answersTo('{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{}}')
    expect(answer).toMatchObject({ id: 7, error: { code: -32602, data: { code: 'invalid_parameter' } } })
    expect(answer).not.toHaveProperty('result')
  })

  test('names of Object.prototype are ignored', async () => {
    const text = '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"__proto__":{"polluted":true}},"constructor":1}'
    expect(await answersTo(text)).toEqual([pong(7)])
    expect({}).not.toHaveProperty('polluted')
  })
})
