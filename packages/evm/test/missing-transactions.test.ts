import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../testbed/chain/json-rpc.ts'
import { type EvmSettings, type RpcBlock, readBlocks } from '../src/index.ts'
import { expectPublished, useChainDoors, warnings } from './chain-doors.ts'
import type { FaultyNode } from './faulty-node.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const doors = useChainDoors()
const { settings, head, hashes } = doors
const perBlock = 4
const blocks = 40

beforeAll(() => doors.chain.mine(blocks, { transactions: perBlock }))

type LeftOut = (transactions: readonly unknown[]) => number
const leftOut: [string, LeftOut][] = [
  ['one', () => 1],
  ['half', ({ length }) => length >> 1],
]
const places = ['first', 'second', 'third'] as const

/** A node that leaves out the last transactions of each block that it is asked for as a whole. */
function leavesOut(count: LeftOut): FaultyNode['fault'] {
  return ({ method, params: [, isWhole] }) => {
    if (method !== 'eth_getBlockByNumber' || isWhole !== true) return undefined
    const shorten = (block: RpcBlock) => {
      const { transactions } = block
      return { ...block, transactions: transactions.slice(0, transactions.length - count(transactions)) }
    }
    return { result: (block) => block && shorten(block as RpcBlock) }
  }
}

/** Expects that each block has as many transactions and receipts as the chain says. */
async function expectWhole({ steps }: RecordingSource): Promise<void> {
  const published = steps.map(({ block, receipts }) => [block.hash, block.transactions.length, receipts.length])
  const counted = steps.map(async ({ block: { hash } }) => {
    const count = Number(await call(doors.chain.rpc, 'eth_getBlockTransactionCountByHash', [hash]))
    return [hash, count, count]
  })
  expect(published).toEqual(await Promise.all(counted))
}

describe.each(places)('where the %s of three endpoints leaves out transactions', (place) => {
  test.each(leftOut)('%s of each block, all are published up to the head', async (_, count) => {
    const bad = doors[place]
    bad.fault = leavesOut(count)
    const rpc = places.map((each) => doors[each].rpc)
    const changes: Partial<EvmSettings> = { rpc, receipts: true, start: (await head()) - blocks + 1 }
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ ...changes, end: await head() }), source))
    await doors.chain.mine(2, { transactions: perBlock })
    await source.take(readBlocks(settings({ ...changes, end: await head() }), source))
    await expectWhole(source)
    expectPublished(source, (await hashes()).slice(-blocks - 2))
    const blamed = warnings(source, '"endpoint":')
    expect(blamed.filter((line) => !line.includes(`"endpoint":"${bad.rpc}"`))).toEqual([])
    expect(blamed.length).toBeLessThan(blocks)
  })
})

test('a block that contradicts all receipts is not published', async () => {
  doors.first.fault = leavesOut(() => 1)
  const last = await head()
  const source = createRecordingSource()
  const changes: Partial<EvmSettings> = { rpc: doors.first.rpc, receipts: true, start: last, end: last }
  const reading = source.take(readBlocks(settings(changes), source))
  await expect(reading).rejects.toThrow(/receipts of block \d+ is invalid: there are \d for \d transactions/)
  expect(source.steps).toEqual([])
})

test('receipts of more transactions than a block has are not published', async () => {
  doors.first.fault = ({ method }) =>
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
  expect(blamed.filter((line) => !line.includes(`"endpoint":"${doors.first.rpc}"`))).toEqual([])
})
