import { defineConnector, type Source } from '@headrace/sdk'
import { createTestProject, type TestProject, testConnector } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schema } from '../../../examples/evm/src/generated/schema.ts'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { contracts } from '../../testbed/chain/contracts.ts'
import { startFakeNode } from '../../testbed/chain/fake-node.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { createLogEncoder, type EvmCheckpoint, readBlocks, readEvents } from '../src/index.ts'
import { canonicalRecords } from './faults/canonical-records.ts'

const folder = new URL('../../../examples/evm', import.meta.url)
const { address } = contracts.logging
type EvmSource = Source<typeof schema, EvmCheckpoint>

const ofBlocks = defineConnector({
  schema,
  async *read(source: EvmSource) {
    for await (const step of readBlocks({ ...source.config, logs: true }, source)) {
      const { messages, ...place } = step
      const logs = step.receipts.flatMap(({ logs }) => logs)
      yield { ...place, messages: { Log: messages.Log!.filter((_, index) => logs[index]!.address === address) } }
    }
  },
})

const ofEvents = (verify: 'links' | 'sample' | 'roots') =>
  defineConnector({
    schema,
    async *read(source: EvmSource) {
      const encodeLogs = createLogEncoder(source)
      const settings = { ...source.config, events: [{ address }], verify }
      for await (const { block, logs, ...place } of readEvents(settings, source))
        yield { ...place, messages: { Log: encodeLogs({ block, logs }) } }
    },
  })

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ slotsInAnEpoch: 8 })
  await chain.mine(60)
})
afterAll(() => chain?.stop())

const head = async () => Number(await call(chain.rpc, 'eth_blockNumber'))

/** All records of a topic as they are read, and digests of those that are canonical. */
async function published(project: TestProject) {
  const name = project.instance.topics.find(({ message }) => message === 'headrace.evm.Log')!.name
  const { digests } = await canonicalRecords(project.queue, name)
  return { digests, records: await project.records('Log') }
}

test.each(['links', 'sample', 'roots'] as const)(
  'the topic is that of whole blocks, byte for byte, also where one continues the other, with verify: %s',
  async (verify) => {
    const settings = { rpc: chain.rpc, start: 0, end: await head(), logs: true }
    await using whole = await createTestProject(folder, { settings })
    await using mixed = await createTestProject(folder, { settings })
    await whole.run(ofBlocks)
    await mixed.run(ofEvents(verify), { stopAfter: 20 })
    await mixed.run(ofBlocks, { stopAfter: 20 })
    await mixed.run(ofEvents(verify))
    expect((await published(whole)).records).not.toHaveLength(0)
    expect(await published(mixed)).toEqual(await published(whole))

    await chain.reorganise(7, { transactions: 5 })
    await chain.mine(3)
    const later = { ...settings, end: await head() }
    await using wholeLater = await whole.openOther(folder, { settings: later })
    await using mixedLater = await mixed.openOther(folder, { settings: later })
    await wholeLater.run(ofBlocks)
    await mixedLater.run(ofEvents(verify))
    const after = await published(wholeLater)
    expect(after.records.some(({ op }) => op === 'revert')).toBe(true)
    expect(await published(mixedLater)).toEqual(after)
  },
)

test('every event is published exactly once, whatever fails', async () => {
  const end = await head()
  await testConnector({
    ...{ connector: ofEvents('links'), folder, stride: 4 },
    settings: { rpc: chain.rpc, start: end - 3, end, logs: true },
  })
})

test('receipts without their logs are rejected with verify: roots', async () => {
  const node = await startFakeNode(chain.rpc)
  node.fault = ({ method }) =>
    method === 'eth_getBlockReceipts'
      ? { result: (receipts) => (receipts as { logs: object[] }[]).map((receipt) => ({ ...receipt, logs: [] })) }
      : undefined
  try {
    const settings = { rpc: [node.rpc, chain.rpc], start: 0, end: 30, logs: true }
    await using project = await createTestProject(folder, { settings })
    await project.run(ofEvents('roots'))
    const logs = await call<object[]>(chain.rpc, 'eth_getLogs', [{ address, fromBlock: '0x0', toBlock: quantity(30) }])
    expect(await project.records('Log')).toHaveLength(logs.length)
    expect(node.calls.some(({ method }) => method === 'eth_getBlockReceipts')).toBe(true)
  } finally {
    await node.close()
  }
})
