import { describe, expect, test } from 'vitest'
import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { checkHeader } from './check-block.ts'
import { fetchBlock } from './fetch-block.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const header = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1' }

test('a requested header is returned unchanged', () => {
  expect(checkHeader(header, 5)).toBe(header)
  expect(checkHeader(header, 'finalized')).toBe(header)
})

test('a missing header and an invalid header have different errors', () => {
  expect(() => checkHeader(null, 5)).toThrow(BlockUnavailableError)
})

describe('a header is refused with', () => {
  test.each<[string, unknown]>([
    ['a value that is not an object', 'block'],
    ['another number', { ...header, number: '0x6' }],
    ['no number', { ...header, number: null }],
    ['no time', { ...header, timestamp: undefined }],
    ['a pending block', { ...header, hash: null }],
    ['a short hash', { ...header, hash: '0xaa' }],
    ['no parent hash', { ...header, parentHash: undefined }],
  ])('%s', (_, answer) => {
    expect(() => checkHeader(answer, 5)).toThrow(InvalidAnswerError)
  })
})

test('a missing block is not an invalid block, and is not encoded', async () => {
  const endpoint = { sendForJson: async () => Buffer.from('null') } as Partial<RpcEndpoint> as RpcEndpoint
  const rpc = {
    request: ({ send, signal }: RpcRequest<unknown>) => send(endpoint, signal),
  } as Partial<Rpc> as Rpc
  const never = () => {
    throw new Error('it is encoded or counted')
  }
  const { signal } = new AbortController()
  const fetched = fetchBlock(rpc, 5, { encode: never, confirmEmpty: never }, { signal })
  await expect(fetched).rejects.toThrow(BlockUnavailableError)
})
