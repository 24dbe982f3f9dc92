import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestProject, type PublishedRecord, type TestProject } from '@headrace/sdk/testing'
import { EventFragment, Indexed, Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { deployEmitter, type EmittedLog, type Emitter } from '../../testbed/chain/emitter.ts'
import { startFakeNode } from '../../testbed/chain/fake-node.ts'
import { call, callAll, quantity } from '../../testbed/chain/json-rpc.ts'
import { anyAbi, anyEvents, extremeLog } from './any-event.ts'
import { type LinkedProject, makeLinkedProject } from './linked-project.ts'

/** As a node returns it. */
interface RpcLog {
  readonly blockNumber: string
  readonly blockHash: string
  readonly blockTimestamp: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

const abi = new Interface(anyEvents)
const events = anyEvents.map((text) => EventFragment.from(text))
/** The names of the messages and the topics, in order. */
const messages = [
  ...['Plain', 'Long', 'Hashed', 'HashedTuple', 'Order', 'Matrix', 'Transfer', 'Transfer2', 'Transfer3'],
  ...['ConfigEvent', 'NumberEvent', 'Empty', 'NewOwner'],
]
const topics = [
  ...['Plain', 'Long', 'Hashed', 'HashedTuple', 'Order', 'Matrix', 'Transfer', 'Transfer2', 'Transfer3'],
  ...['Config', 'number', 'Empty', 'new_owner'],
].map((event) => `me.demo.1_0_0.Anything_${event}`)

let chain: Chain
let from: string
let contract: Emitter
let folder: string
let project: LinkedProject

beforeAll(async () => {
  chain = await startChain()
  from = (await call<string[]>(chain.rpc, 'eth_accounts'))[0]!
  contract = await deployEmitter(chain.rpc, from)
  const other = await deployEmitter(chain.rpc, from)
  for (const extreme of ['least', 'most', 'least'] as const) {
    await emit(
      contract,
      events.map((event) => extremeLog(event, extreme)),
    )
    await emit(
      other,
      events.slice(0, 2).map((event) => extremeLog(event, extreme)),
    )
    await emit(contract, [
      { topics: [], data: '0x01' },
      { topics: [`0x${'a'.repeat(64)}`], data: '0x' },
    ])
    await call(chain.rpc, 'evm_mine')
  }
  folder = await mkdtemp(join(tmpdir(), 'headrace-abi-'))
  const file = join(folder, 'Anything.json')
  await writeFile(file, JSON.stringify({ contractName: 'Anything', abi: anyAbi(), bytecode: '0x' }))
  project = await makeLinkedProject('--template', 'evm-events', '--abi', file, '--address', contract.address)
})
afterAll(async () => {
  await project?.[Symbol.asyncDispose]()
  await chain?.stop()
  if (folder) await rm(folder, { recursive: true })
})

test('the topics contain what ethers decodes from the logs of the node', async () => {
  expect(await publish()).toMatchObject({ code: 0 })
  await using published = await openPublished()
  expect((await published.queue.describe(topics)).map(({ name }) => name).sort()).toEqual([...topics].sort())
  for (const records of await readAll(published)) expect(records.map(({ op }) => op)).toEqual(Array(3).fill('append'))
  await expectAsOnChain(published)

  const [least, most] = await published.records('Order')
  expect(least?.value).toMatchObject({
    BlockNumber: '3',
    Address: contract.address,
    item: { id: '0', tags: [], points: [{ x: '-9223372036854775808', y: `0x${'0'.repeat(64)}` }, {}] },
    items: [],
  })
  expect(most?.value).toMatchObject({
    item: { id: String(2n ** 256n - 1n), points: [{ x: '9223372036854775807' }, {}] },
    items: [{ a: `0x${'f'.repeat(40)}`, b: String(2n ** 256n - 1n) }, {}],
  })
})

test('a reorganisation reverts the events of removed blocks and publishes those of new blocks', async () => {
  await using published = await openPublished()
  const before = await readAll(published)
  const nonce = Number(await call(chain.rpc, 'eth_getTransactionCount', [from, quantity((await head()) - 2)]))
  const instead = events.map((event, index) => transaction(contract, extremeLog(event, 'most'), nonce + index))
  await call(chain.rpc, 'anvil_reorg', [2, instead.map((each, index) => [each, index < instead.length / 2 ? 0 : 1])])
  expect(await publish()).toMatchObject({ code: 0 })

  await expectAsOnChain(published)
  for (const [index, records] of (await readAll(published)).entries()) {
    const [first, second, third] = before[index]!
    expect(records.map(({ op, value }) => [op, value])).toEqual([
      ...[first, second, third].map((record) => ['append', record?.value]),
      ...[third, second].map((record) => ['revert', record?.value]),
      ['append', expect.anything()],
    ])
  }
})

test('no event is lost if one node omits logs and the other does not select logs by the hash of a block', async () => {
  const [short, old] = await Promise.all([startFakeNode(chain.rpc), startFakeNode(chain.rpc)])
  short.fault = ({ method }) =>
    method === 'eth_getLogs' ? { result: (logs) => (logs as readonly RpcLog[]).slice(0, -1) } : undefined
  old.fault = ({ method, params: [request] }) =>
    method === 'eth_getLogs' && 'blockHash' in (request as object)
      ? { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params"}}' }
      : undefined
  try {
    const rpc = JSON.stringify([short.rpc, old.rpc])
    expect(await publish({ queue: 'doubtful', rpc })).toMatchObject({ code: 0 })
    await using published = await openPublished('doubtful')
    await expectAsOnChain(published)
    expect(old.calls.filter(({ method }) => method === 'eth_getLogs')).not.toHaveLength(0)
  } finally {
    await Promise.all([short, old].map((node) => node.close()))
  }
})

test('a log that does not match the ABI ends the run with an error', async () => {
  await emit(contract, [{ ...extremeLog(events[0]!, 'most'), data: '0x01' }])
  await call(chain.rpc, 'evm_mine')
  const { code, stderr } = await publish()
  expect(code).toBe(1)
  expect(stderr).toContain('"code":"undecodable_log"')
  expect(stderr).toMatch(
    /in transaction 0x[0-9a-f]{64} of block \d+, does not match the declaration of Plain in src\/events\.ts/,
  )
})

test('without a node the recording is published, and the log says so', async () => {
  const queue = 'recorded-data'
  const { code, stderr } = await project.connector('run', '--queue', `embedded:${queue}`, '--set', 'end=24')
  expect(code).toBe(0)
  expect(stderr).toMatch(/"level":40,.*recorded\/events\.json.*setting \\"rpc\\" is not set/)
  await using published = await openPublished(queue)
  for (const records of await readAll(published)) expect(records).not.toHaveLength(0)
})

function transaction({ address, input }: Emitter, log: EmittedLog, nonce?: number): Record<string, unknown> {
  const fields = { from, to: address, gas: quantity(1_000_000), gasPrice: quantity(20_000_000_000), input: input(log) }
  return nonce === undefined ? fields : { ...fields, nonce: quantity(nonce) }
}

async function emit(emitter: Emitter, logs: readonly EmittedLog[]): Promise<void> {
  const first = Number(await call(chain.rpc, 'eth_getTransactionCount', [from, 'pending']))
  const params = logs.map((log, index) => [transaction(emitter, log, first + index)])
  await callAll(
    chain.rpc,
    params.map((each) => ({ method: 'eth_sendTransaction', params: each })),
  )
}

async function head(): Promise<number> {
  return Number(await call(chain.rpc, 'eth_blockNumber'))
}

async function publish({ queue = 'data', rpc = chain.rpc } = {}) {
  const settings = [`rpc=${rpc}`, 'start=0', `end=${await head()}`]
  return project.connector('run', '--queue', `embedded:${queue}`, ...settings.flatMap((each) => ['--set', each]))
}

function openPublished(queue = 'data'): Promise<TestProject> {
  return createTestProject(project.dir, { queue: `embedded:${join(project.dir, queue)}` })
}

function readAll(published: TestProject): Promise<PublishedRecord[][]> {
  return Promise.all(messages.map((message) => published.records(message)))
}

async function expectAsOnChain(published: TestProject): Promise<void> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: contract.address }
  const logs = await call<RpcLog[]>(chain.rpc, 'eth_getLogs', [filter])
  for (const [index, records] of (await readAll(published)).entries()) {
    const event = events[index]!
    const own = logs.filter((log) => isOf(event, log))
    expect(own.length).toBeGreaterThan(1)
    const gone = new Set(records.map(({ reverts }) => reverts))
    const canonical = records.filter(({ op, seq }) => op === 'append' && !gone.has(seq ?? undefined))
    expect(canonical.map(({ key, value }) => [key, ...parts(value as Record<string, unknown>)])).toEqual(
      own.map((log) => [
        ...[log.transactionHash, Number(log.blockTimestamp) * 1000, String(Number(log.blockNumber))],
        ...[log.blockHash, Number(log.logIndex), log.address],
        leaves(abi.decodeEventLog(event, log.data, log.topics)),
      ]),
    )
  }
}

function isOf({ topicHash, inputs }: EventFragment, { topics }: RpcLog): boolean {
  return topics[0] === topicHash && topics.length === 1 + inputs.filter(({ indexed }) => indexed).length
}

function parts(value: Record<string, unknown>): unknown[] {
  const { ts, BlockNumber, BlockHash, TransactionHash: _, LogIndex, Address, ...fields } = value
  return [Date.parse(String(ts)), BlockNumber, BlockHash, LogIndex, Address, leaves(fields)]
}

function leaves(value: unknown): string[] {
  if (Array.isArray(value)) return [...value].flatMap(leaves)
  if (value instanceof Indexed) return [String(value.hash)]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return [String(value).toLowerCase()]
}
