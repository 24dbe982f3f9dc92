import { beforeAll, describe, expect, test } from 'vitest'
import type { FakeNode } from '../../testbed/chain/fake-node.ts'
import { call } from '../../testbed/chain/json-rpc.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { type EvmSettings, type RpcBlock, readBlocks } from '../src/index.ts'
import { expectPublished, useFakeNodes, warnings } from './fake-nodes.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const nodes = useFakeNodes()
const { settings, head, hashes } = nodes
const perBlock = 4
const blocks = 20

beforeAll(() => nodes.chain.mine(blocks, { transactions: perBlock }))

type Omitted = (transactions: readonly unknown[]) => number
const places = ['first', 'second', 'third'] as const
const one: Omitted = () => 1
const half: Omitted = ({ length }) => length >> 1

/** Faults of a node that omits the last transactions of each block. */
function omitsLast(count: Omitted): FakeNode['fault'] {
  return ({ method, params: [, isWhole] }) => {
    if (method !== 'eth_getBlockByNumber' || isWhole !== true) return undefined
    const shorten = (block: RpcBlock) => {
      const { transactions } = block
      return { ...block, transactions: transactions.slice(0, transactions.length - count(transactions)) }
    }
    return { result: (block) => block && shorten(block as RpcBlock) }
  }
}

/** Expects the number of transactions and receipts that the chain has, in each block. */
async function expectWhole({ steps }: RecordingSource): Promise<void> {
  const published = steps.map(({ block, receipts }) => [block.hash, block.transactions.length, receipts.length])
  const counted = steps.map(async ({ block: { hash } }) => {
    const count = Number(await call(nodes.chain.rpc, 'eth_getBlockTransactionCountByHash', [hash]))
    return [hash, count, count]
  })
  expect(published).toEqual(await Promise.all(counted))
}

describe('all transactions are published up to the head', () => {
  test.each([
    ['first', 'one', one],
    ['first', 'half', half],
    ['second', 'one', one],
    ['third', 'one', one],
  ] as const)('if the %s of three endpoints omits %s of each block', async (place, _, count) => {
    const bad = nodes[place]
    bad.fault = omitsLast(count)
    const rpc = places.map((each) => nodes[each].rpc)
    const changes: Partial<EvmSettings> = { rpc, receipts: true, start: (await head()) - blocks + 1 }
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ ...changes, end: await head() }), source))
    await nodes.chain.mine(2, { transactions: perBlock })
    await source.take(readBlocks(settings({ ...changes, end: await head() }), source))
    await expectWhole(source)
    expectPublished(source, (await hashes()).slice(-blocks - 2))
    const blamed = warnings(source, '"endpoint":')
    expect(blamed.filter((line) => !line.includes(`"endpoint":"${bad.rpc}"`))).toEqual([])
    expect(blamed.length).toBeLessThan(blocks)
  })
})

test('a block that contradicts all receipts is not published', async () => {
  speedUpTime()
  nodes.first.fault = omitsLast(() => 1)
  const last = await head()
  const source = createRecordingSource()
  const changes: Partial<EvmSettings> = { rpc: nodes.first.rpc, receipts: true, start: last, end: last }
  const reading = source.take(readBlocks(settings(changes), source))
  await expect(reading).rejects.toThrow(/receipts of block \d+ is invalid: there are \d for \d transactions/)
  expect(source.steps).toEqual([])
})

test('receipts of more transactions than a block has are not published', async () => {
  nodes.first.fault = ({ method }) =>
    method === 'eth_getBlockReceipts'
      ? { result: (receipts) => [...(receipts as unknown[]), (receipts as unknown[])[0]] }
      : undefined
  const last = await head()
  const source = createRecordingSource()
  const changes: Partial<EvmSettings> = { receipts: true, start: last - 5, end: last }
  await source.take(readBlocks(settings(changes), source))
  await expectWhole(source)
  const blamed = warnings(source, 'answer rejected')
  expect(blamed.length).toBeGreaterThan(0)
  expect(blamed.filter((line) => !line.includes(`"endpoint":"${nodes.first.rpc}"`))).toEqual([])
})
