import { toBlock, toTransaction } from '@headrace/evm'
import type { Unit } from '@headrace/sdk'
import { createScriptedConnector, createTestProject, type TestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import { schema } from '../../evm/src/generated/schema.ts'
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
  const block = toBlock({
    ...{
      number: `0x${number}`,
      hash,
      parentHash: `${branch}${number - 1}`,
      timestamp: `0x${(100 + number).toString(16)}`,
    },
    ...{ gasLimit: '0x64', gasUsed: '0x19', transactions: [] },
  })
  const list = Array.from({ length: transactions }, (_, index) =>
    toTransaction(
      {
        hash: `${hash}-${index}`,
        blockHash: hash,
        transactionIndex: `0x${index}`,
        from: `0x${'d'.repeat(40)}`,
        type: '0x2',
      },
      block,
    ),
  )
  return { checkpoint: hash, messages: { Block: [block], Transaction: list } }
}
