import type { Unit } from '@headrace/sdk'
import { createScriptedConnector, createTestProject, type TestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import { schema } from '../../evm/src/generated/schema.ts'
import { zeroBlock, zeroTransaction } from '../../evm/test/zero-messages.ts'
import connector from '../src/connector.ts'

const folder = new URL('..', import.meta.url)
const settings = { follow: false }

/** Blocks 0 to 2; block 2 is reverted and replaced by one with more transactions. */
const chain = [blockOf(0, 'a'), blockOf(1, 'a'), blockOf(2, 'a'), { ...blockOf(2, 'b', 3), revertTo: 'a1' }]

/** Publishes the first blocks next to the project, as the evm connector does. */
async function publish(project: TestProject, count: number): Promise<void> {
  const evm = await project.openOther(new URL('../../evm', import.meta.url), { settings: { rpc: 'http://127.0.0.1' } })
  await evm.run(createScriptedConnector({ schema, units: chain.slice(0, count) }))
}

test('every block has one usage, through faults of every kind and a reorganisation of the chain', async () => {
  await testConnector({
    connector,
    folder,
    settings,
    states: [(project) => publish(project, 3), (project) => publish(project, 4)],
    stride: 4,
  })
})

test('the usage of a block is a share of its limit', async () => {
  await using project = await createTestProject(folder, { settings })
  await publish(project, 4)
  await project.run(connector)
  const usages = await project.records('Usage')
  expect(usages.map(({ op, key }) => [op, key])).toEqual([
    ['append', 'a0'],
    ['append', 'a1'],
    ['append', 'a2'],
    ['revert', 'a2'],
    ['append', 'b2'],
  ])
  expect(usages.at(-1)).toMatchObject({
    value: { ts: '1970-01-01T00:01:42Z', BlockHash: 'b2', BlockNumber: '2', Share: 0.25, Transactions: 3 },
  })
})

/** A block of a branch with this number of transactions. Its checkpoint is its hash. */
function blockOf(number: number, branch: string, transactions = 1): Unit<typeof schema, string> {
  const hash = `${branch}${number}`
  const ts = { seconds: BigInt(100 + number), nanos: 0 }
  const ofBlock = {
    Hash: hash,
    ParentHash: `${branch}${number - 1}`,
    Number: BigInt(number),
    GasLimit: 100n,
    GasUsed: 25n,
  }
  const block = { ...zeroBlock, ts, ...ofBlock }
  const list = Array.from({ length: transactions }, (_, TransactionIndex) => ({
    ...{ ...zeroTransaction, ts, Hash: `${hash}-${TransactionIndex}`, TransactionIndex, Type: 2 },
    ...{ BlockHash: hash, BlockNumber: block.Number, From: Buffer.alloc(20, 0xdd) },
  }))
  return { checkpoint: hash, messages: { Block: [block], Transaction: list } }
}
