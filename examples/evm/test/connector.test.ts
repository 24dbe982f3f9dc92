import { createTestProject, readUnits, testConnector } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../packages/testbed/chain/chain.ts'
import { type Call, startFakeNode } from '../../../packages/testbed/chain/fake-node.ts'
import { call } from '../../../packages/testbed/chain/json-rpc.ts'
import connector from '../src/connector.ts'
import type { Config } from '../src/generated/schema.ts'
import { decodeMessage } from './decode-message.ts'

const blocks = 30
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

test('a unit is one block, then its transactions, which have the time of the block', async () => {
  await using project = await createTestProject(folder, { settings: { rpc: chain.rpc, start: 0, end: blocks } })
  let transactions = 0
  const config = project.settings.values as unknown as Config
  for await (const { checkpoint, messages } of readUnits(connector, { config })) {
    expect(Object.keys(messages!)).toEqual(['Block', 'Transaction'])
    const { hash, timestamp, transactions: hashes } = await blockOf(checkpoint.number)
    const ts = { seconds: BigInt(timestamp), nanos: 0 }
    expect(messages!.Block!.map((each) => decode('Block', each))).toMatchObject([
      { Number: BigInt(checkpoint.number), Hash: hash, ts },
    ])
    expect(messages!.Transaction!.map((each) => decode('Transaction', each))).toMatchObject(
      hashes.map((hash) => ({ Hash: hash, ts })),
    )
    transactions += hashes.length
  }
  expect(transactions).toBeGreaterThan(0)
})

test('every block and transaction is published exactly once, whatever fails', async () => {
  await testConnector({ connector, folder, settings: { rpc: chain.rpc, start: 10, end: 12 }, stride: 4 })
})

test('a block that one node returns malformed is published from another node', async () => {
  const [wrong, right] = [await startFakeNode(chain.rpc), await startFakeNode(chain.rpc)]
  const isAsked = ({ method, params: [name] }: Call) => method === 'eth_getBlockByNumber' && Number(name) === 9
  const extraData = `0x${'zz'.repeat(20)}`
  wrong.fault = (call) => (isAsked(call) ? { result: (block) => ({ ...(block as object), extraData }) } : undefined)
  right.fault = (call) => (isAsked(call) && !wrong.calls.some(isAsked) ? { status: 503 } : undefined)
  try {
    await using project = await createTestProject(folder, {
      settings: { rpc: [wrong.rpc, right.rpc], start: 0, end: blocks },
    })
    expect(await project.run(connector)).toMatchObject({ reason: 'ended' })
    const expected = await Promise.all(Array.from({ length: blocks + 1 }, (_, number) => blockOf(number)))
    expect((await project.records('Block')).map(({ key }) => key)).toEqual(expected.map(({ hash }) => hash))
  } finally {
    await Promise.all([wrong.close(), right.close()])
  }
})

test('receipts and logs have topics only if they are requested', async () => {
  await using project = await createTestProject(folder, {
    settings: { rpc: chain.rpc, chain: 'plain', end: 5, start: 0 },
  })
  const asked = { receipts: true, logs: true }
  const more = await project.openOther(folder, { settings: { ...project.settings.values, chain: 'more', ...asked } })
  await project.run(connector)
  await more.run(connector)
  const names = (await project.queue.describe()).map(({ name }) => name.split('.').at(-1)!)
  const own = (chain: string) => names.filter((name) => name.startsWith(`${chain}_`))
  expect(own('plain')).toEqual(['plain_Block', 'plain_Transaction'])
  expect(own('more')).toEqual(['more_Block', 'more_Log', 'more_Receipt', 'more_Transaction'])
  expect(await more.records('Receipt')).toHaveLength((await more.records('Transaction')).length)
  expect(await more.records('Log')).not.toHaveLength(0)
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

function decode(name: 'Block' | 'Transaction', message: unknown): object {
  expect(message).toBeInstanceOf(Uint8Array)
  return decodeMessage(`headrace.evm.${name}`, message as Uint8Array)
}

interface RpcBlock {
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

function blockOf(number: number): Promise<RpcBlock> {
  return call<RpcBlock>(chain.rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
}
