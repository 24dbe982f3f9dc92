import { createTestProject, testConnector } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../scripts/chain/chain.ts'
import { call } from '../../../scripts/chain/json-rpc.ts'
import connector from '../src/connector.ts'

const blocks = 40
const folder = new URL('..', import.meta.url)
let chain: Chain

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(blocks)
})
afterAll(() => chain?.stop())

test('every block and transaction is published once, in the chain’s order, whatever interrupts it', async () => {
  await using project = await createTestProject(folder, { settings: { rpc: chain.rpc, start: 0, end: blocks } })
  await project.run(connector, { stopAfter: 7 })
  await project.run(connector, { stopAfter: 11 })
  expect(await project.run(connector)).toMatchObject({ reason: 'ended' })
  expect(await project.run(connector)).toMatchObject({ units: 0, records: 0 })

  const expected = await Promise.all(Array.from({ length: blocks + 1 }, (_, number) => blockOf(number)))
  const published = await project.records('Block')
  expect(published.map(({ key }) => key)).toEqual(expected.map(({ hash }) => hash))
  expect(published.map(({ seq }) => seq)).toEqual(expected.map((_, index) => index))
  expect(published.map(({ time }) => time.getTime() / 1000)).toEqual(expected.map(({ timestamp }) => Number(timestamp)))

  const transactions = await project.records('Transaction')
  expect(transactions.map(({ key, unit }) => [key, unit])).toEqual(
    expected.flatMap((block, index) => block.transactions.map((hash) => [hash, index + 1])),
  )
  expect(await project.checkpoint()).toEqual({ number: blocks, hash: expected.at(-1)?.hash, chainId: 31337 })
})

test('every block and transaction is published exactly once, whatever fails', async () => {
  await testConnector({ connector, folder, settings: { rpc: chain.rpc, start: 10, end: 13 }, stride: 3 })
})

test('readers see addresses and amounts as the manifest says', async () => {
  await using project = await createTestProject(folder, { settings: { rpc: chain.rpc, start: 1, end: 30 } })
  await project.run(connector)
  const values = (await project.records('Transaction')).map(({ value }) => value as Record<string, string>)
  const whale = values.find(({ Amount }) => Amount === '18446744073709551615')
  expect(whale).toMatchObject({ AmountExact: expect.stringMatching(/^0x01[0-9a-f]{16}$/), ts: expect.any(String) })
  expect(values.every(({ From }) => /^0x[0-9a-f]{40}$/.test(From ?? ''))).toBe(true)
  expect(values.some(({ Recipient }) => Recipient === '0x')).toBe(true)
})

interface RpcBlock {
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

function blockOf(number: number): Promise<RpcBlock> {
  return call<RpcBlock>(chain.rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
}
