import { id, toBeHex, zeroPadValue } from 'ethers'
import { afterEach, describe, expect, test } from 'vitest'
import { type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import type { Call } from '../../testbed/recorded-chain/answer-call.ts'
import type { ReplayedNode } from '../../testbed/recorded-chain/answer-request.ts'
import { createLogBlocks, type LogContent } from '../../testbed/recorded-chain/log-blocks.ts'
import { logFaults } from '../../testbed/recorded-chain/replay-fault.ts'
import { createReplayedChain, type ReplayedChain } from '../../testbed/recorded-chain/replayed-chain.ts'
import {
  ContradictedBlockError,
  createLogEncoder,
  type EventFilter,
  type EventSettings,
  type EventStep,
  type EvmCheckpoint,
  type RpcLog,
  readBlocks,
  readEvents,
} from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)'
const transferTopic = id('Transfer(address,address,uint256)')
const swapTopic = id('Swap(address,uint256)')
const address = (index: number) => zeroPadValue(toBeHex(index + 1), 20)
const word = (value: number | bigint) => zeroPadValue(toBeHex(value), 32)
const token = address(7)

/** 300 logs a block, of 60 contracts; those of one token in most blocks only. */
const blocks = createLogBlocks(
  Array.from({ length: 120 }, (_, number) =>
    Array.from({ length: 300 }, (_, index): LogContent => {
      const contract = (number * 31 + index * 7) % 60
      const isToken = address(contract) === token && number % 5 === 0
      const topics = [index % 3 === 0 ? swapTopic : transferTopic, word(index), word(number)]
      return { address: isToken ? address(99) : address(contract), topics, data: word(number * 1000 + index) }
    }),
  ),
)

const head = 2000
const ofToken: readonly EventFilter[] = [{ address: token, event: transfer }]
const isOfToken = ({ address, topics }: RpcLog) => address === token && topics[0] === transferTopic

const nodes: FakeNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.close()))
})

interface CountedNode {
  readonly rpc: string
  readonly requests: () => number
  readonly calls: readonly Call[]
}

async function serve(node: ReplayedNode): Promise<CountedNode> {
  const calls: Call[] = []
  let requests = 0
  const served = await startFakeNode({
    ...node,
    fault(call) {
      calls.push(call)
      return node.fault?.(call)
    },
  })
  served.fault = () => {
    requests++
    return undefined
  }
  nodes.push(served)
  return { rpc: served.rpc, calls, requests: () => requests }
}

function eventSettings(rpc: EventSettings['rpc'], changes: Partial<EventSettings> = {}): EventSettings {
  const { receipts: _, logs: __, verify, ...settings } = blockSettings(rpc, { end: head })
  return { ...settings, verify, events: ofToken, ...changes }
}

/** Reads all events, from after the published blocks on. */
async function readAll(settings: EventSettings, published: readonly EvmCheckpoint[] = []) {
  const source = createRecordingSource<EventStep>(published)
  await source.take(readEvents(settings, source))
  return source
}

const eventsOf = ({ steps }: RecordingSource<EventStep>): readonly Events[] =>
  steps.map(({ block, logs }) => ({ hash: block.hash, logs }))

interface Events {
  readonly hash: string
  readonly logs: readonly RpcLog[]
}

/** Of each block, the logs that a test selects itself. */
const eventsOn = (chain: ReplayedChain, isWanted: (log: RpcLog) => boolean): readonly Events[] =>
  Array.from({ length: chain.head + 1 }, (_, number) => {
    const { block, receipts } = chain.read(chain.at(number)!)
    return { hash: block.hash, logs: receipts.flatMap(({ logs }) => logs).filter(isWanted) }
  })

const countOf = (node: CountedNode, method: string) => node.calls.filter((call) => call.method === method).length

describe('readEvents', () => {
  test('reads the events of one token with fewer requests than blocks', async () => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const node = await serve({ chain })
    expect(eventsOf(await readAll(eventSettings(node.rpc)))).toEqual(eventsOn(chain, isOfToken))
    expect(node.requests()).toBeLessThan(head / 10)
    expect(countOf(node, 'eth_getLogs')).toBeLessThan(head / 4)
  })

  test('yields the blocks, positions and logs that reading whole blocks yields', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: 300 })
    const { rpc } = await serve({ chain })
    const whole = createRecordingSource()
    await whole.take(readBlocks(blockSettings(rpc, { end: 300, logs: true }), whole))
    const { steps } = await readAll(eventSettings(rpc, { end: 300 }))
    expect(steps).toHaveLength(whole.steps.length)
    const encodeLogs = createLogEncoder({})
    for (const [index, { block, receipts, messages, checkpoint, final }] of whole.steps.entries()) {
      const step = steps[index]!
      const all = receipts.flatMap(({ logs }) => logs)
      expect([step.checkpoint, step.final]).toEqual([checkpoint, final])
      expect(step.logs).toEqual(all.filter(isOfToken))
      expect(encodeLogs(step)).toEqual(messages.Log!.filter((_, at) => isOfToken(all[at]!)))
      expect(step.block).toEqual({
        ...{ number: Number(block.number), timestamp: Number(block.timestamp) },
        ...{ hash: block.hash, parentHash: block.parentHash },
      })
    }
  })

  const limited: readonly (readonly [string, Partial<ReplayedNode>])[] = [
    ['caps results at 1,000', { logLimits: { mostResults: 1000 } }],
    ['caps ranges at 100 blocks', { logLimits: { mostBlocks: 100 } }],
    ['caps results below those of one block', { logLimits: { mostResults: 3 } }],
    ['has batches of 10 calls', { mostCalls: 10 }],
    ['has no batches', { mostCalls: 1 }],
  ]
  test.each(limited)('reads all events from an endpoint that %s', async (_, limits) => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const node = await serve({ chain, ...limits })
    const events = [{ event: transfer, arguments: { from: [word(8), word(11)].map((each) => `0x${each.slice(26)}`) } }]
    const reader = await readAll(eventSettings(node.rpc, { events }))
    const isWanted = ({ topics }: RpcLog) => topics[0] === transferTopic && [word(8), word(11)].includes(topics[1]!)
    expect(eventsOf(reader)).toEqual(eventsOn(chain, isWanted))
  })

  const faulty = logFaults.map((fault) => [fault] as const)
  test.each(faulty)('rejects an endpoint that answers with %s, and reads all events from another', async (fault) => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const bad = await serve({ chain, fault: ({ method }) => (method === 'eth_getLogs' ? fault : undefined) })
    const good = await serve({ chain })
    const reader = await readAll(eventSettings([bad.rpc, good.rpc]))
    expect(eventsOf(reader)).toEqual(eventsOn(chain, isOfToken))
    expect(countOf(bad, 'eth_getLogs')).toBeGreaterThan(0)
  })

  test('ends with an error if the only endpoint repeatedly omits logs', async () => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const { rpc } = await serve({
      chain,
      fault: ({ params: [query] }) => (Object(query).toBlock ? 'missing_logs' : undefined),
    })
    await expect(readAll(eventSettings(rpc, { end: 60 }))).rejects.toThrow(ContradictedBlockError)
  })
})
