import { expect, test } from 'vitest'
import * as errors from './errors.ts'

test('each error has its own code in the table', () => {
  const { RpcError, evmErrorCodes, ...others } = errors
  const rpc = new RpcError('node', 'eth_chainId', { code: -32000, message: 'no' })
  const made = Object.values(others as Record<string, new (...values: unknown[]) => { readonly code: string }>)
  const codes = [rpc, ...made.map((Made) => new Made('node', 1, 2, 3))].map(({ code }) => code)
  expect(codes.sort()).toEqual([...evmErrorCodes].sort())
})
