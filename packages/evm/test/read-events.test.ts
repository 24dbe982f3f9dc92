import { id, toBeHex, zeroPadValue } from 'ethers'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import type { Call } from '../../testbed/recorded-chain/answer-call.ts'
import type { ReplayedNode } from '../../testbed/recorded-chain/answer-request.ts'
import { createLogBlocks } from '../../testbed/recorded-chain/log-blocks.ts'
import type { LogContent } from '../../testbed/recorded-chain/logs-bloom.ts'
import { logFaults } from '../../testbed/recorded-chain/replay-fault.ts'
import { createReplayedChain } from '../../testbed/recorded-chain/replayed-chain.ts'
import {
  ContradictedBlockError,
  createLogEncoder,
  type EventFilter,
  type EventSettings,
  type EventStep,
  type EvmCheckpoint,
  type RpcLog,
  readBlocks,
} from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { eventSettings, eventsOf, eventsOn, readAll, useReplayedNodes } from './events.ts'
import { createRecordingSource } from './recording-source.ts'

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

const head = 1200
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const nodes = useReplayedNodes()
const ofToken: readonly EventFilter[] = [{ address: token, event: transfer }]
const settings = (rpc: EventSettings['rpc'], changes: Partial<EventSettings> = {}) =>
  eventSettings(rpc, { events: ofToken, end: head, ...changes })
const isOfToken = ({ address, topics }: RpcLog) => address === token && topics[0] === transferTopic

describe('readEvents', () => {
  test('reads the events of one token with fewer requests than blocks', async () => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const node = await nodes.serve({ chain })
    expect(eventsOf((await readAll(settings(node.rpc))).steps)).toEqual(eventsOn(chain, isOfToken))
    expect(node.requests).toBeLessThan(head / 10)
    expect(node.count('eth_getLogs')).toBeLessThan(head / 4)
  })

  test('yields the blocks, positions and logs that reading whole blocks yields', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: 300 })
    const { rpc } = await nodes.serve({ chain })
    const whole = createRecordingSource()
    await whole.take(readBlocks(blockSettings(rpc, { end: 300, logs: true }), whole))
    const { steps } = await readAll(settings(rpc, { end: 300 }))
    expect(steps).toHaveLength(whole.steps.length)
    const encodeLogs = createLogEncoder({})
    for (const [index, { block, receipts, messages, checkpoint, final }] of whole.steps.entries()) {
      const step = steps[index]!
      const all = receipts.flatMap(({ logs }) => logs)
      expect([step.checkpoint, step.final]).toEqual([checkpoint, final])
      expect(step.logs).toEqual(all.filter(isOfToken))
      expect(encodeLogs(step).map(toHex)).toEqual(messages.Log!.filter((_, at) => isOfToken(all[at]!)).map(toHex))
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
    const node = await nodes.serve({ chain, ...limits })
    const events = [{ event: transfer, arguments: { from: [word(8), word(11)].map((each) => `0x${each.slice(26)}`) } }]
    const reader = await readAll(settings(node.rpc, { events }))
    const isWanted = ({ topics }: RpcLog) => topics[0] === transferTopic && [word(8), word(11)].includes(topics[1]!)
    expect(eventsOf(reader.steps)).toEqual(eventsOn(chain, isWanted))
  })

  const absent = [
    ['missing', undefined],
    ['zero', `0x${'0'.repeat(512)}`],
  ] as const
  test.each(absent)('reads a chain whose blooms are %s', async (_, logsBloom) => {
    const recorded = blocks.map((each) => ({ ...each, block: { ...each.block, logsBloom } }))
    const chain = createReplayedChain({ recorded, head: 300 })
    const node = await nodes.serve({ chain })
    const { steps } = await readAll(settings(node.rpc, { end: 300 }))
    expect(eventsOf(steps)).toEqual(eventsOn(chain, isOfToken))
    expect(node.count('eth_getBlockReceipts')).toBe(0)
  })

  test('compares a sample of blocks with their receipts, with verify: sample', async () => {
    const chain = createReplayedChain({ recorded: blocks, head })
    // Blooms do not show that one of several logs is missing.
    const { rpc } = await nodes.serve({
      chain,
      fault: ({ method }) => (method === 'eth_getLogs' ? 'fewer_logs' : undefined),
    })
    await expect(readAll(settings(rpc, { verify: 'sample', end: 20 }))).rejects.toThrow(ContradictedBlockError)
  })

  // Of a single block, blooms do not show that a part of its logs is missing.
  const faulty = logFaults.filter((fault) => fault !== 'fewer_logs').map((fault) => [fault] as const)
  test.each(faulty)('rejects an endpoint that answers with %s, and reads all events from another', async (fault) => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const bad = await nodes.serve({
      chain,
      fault: ({ method, params: [request] }) =>
        method === 'eth_getLogs' && (fault !== 'truncated_logs' || Object(request).toBlock) ? fault : undefined,
    })
    const good = await nodes.serve({ chain })
    const reader = await readAll(settings([bad.rpc, good.rpc]))
    expect(eventsOf(reader.steps)).toEqual(eventsOn(chain, isOfToken))
    expect(bad.count('eth_getLogs')).toBeGreaterThan(0)
  })

  describe('while the other endpoint answers nothing about logs', () => {
    const end = 150
    const isAboutLogs = ({ method }: Call) => method === 'eth_getLogs' || method.includes('Receipt')
    const chain = createReplayedChain({ recorded: blocks, head: end })
    const serveOther = () => nodes.serve({ chain, fault: (call) => (isAboutLogs(call) ? 'connection_cut' : undefined) })

    test('publishes no block of an endpoint that omits its logs', async () => {
      const bad = await nodes.serve({
        chain,
        fault: ({ method }) => (method === 'eth_getLogs' ? 'missing_logs' : undefined),
      })
      const other = await serveOther()
      const steps: EventStep[] = []
      const reading = readAll(settings([bad.rpc, other.rpc], { end }), { onStep: (step) => steps.push(step) })
      await expect(reading).rejects.toThrow()
      expect(eventsOf(steps)).toEqual(eventsOn(chain, isOfToken).slice(0, steps.length))
    })

    test('reads all events of a correct endpoint', async () => {
      const good = await nodes.serve({ chain })
      const other = await serveOther()
      const { steps } = await readAll(settings([other.rpc, good.rpc], { end }))
      expect(eventsOf(steps)).toEqual(eventsOn(chain, isOfToken))
    })
  })

  test('ends with an error if the only endpoint repeatedly omits logs', async () => {
    const chain = createReplayedChain({ recorded: blocks, head })
    const { rpc } = await nodes.serve({
      chain,
      fault: ({ params: [query] }) => (Object(query).toBlock ? 'missing_logs' : undefined),
    })
    await expect(readAll(settings(rpc, { end: 60 }))).rejects.toThrow(ContradictedBlockError)
  })

  test('follows reorganisations of depth 1 to 64 on nodes that limit results, limit ranges, and omit logs', async () => {
    const random = createRandom(5)
    const chain = createReplayedChain({ recorded: blocks, head: 300 })
    const depths = Array.from({ length: 64 }, (_, index) => 1 + ((index * 27) % 64))
    const last = 1000
    let newest = 0
    /** A request for the head, once all blocks are published, finds a longer chain, or one with other newest blocks. */
    const move = ({ params: [name] }: Call): void => {
      if (name !== 'latest' || newest < chain.head || chain.head === last) return
      const depth = depths.pop()
      if (depth !== undefined) chain.reorganise(depth)
      chain.grow(depth === undefined ? last - chain.head : 1 + random.integer(8))
    }
    const omits = ({ method }: Call) =>
      method === 'eth_getLogs' && random.integer(8) === 0 ? 'missing_logs' : undefined
    const kinds: readonly Omit<ReplayedNode, 'chain'>[] = [
      { fault: omits },
      { logLimits: { mostResults: 1000 } },
      { logLimits: { mostBlocks: 100 } },
    ]
    const served = await Promise.all(
      kinds.map(({ fault, ...kind }) =>
        nodes.serve({
          ...{ ...kind, chain },
          fault(call) {
            move(call)
            return fault?.(call)
          },
        }),
      ),
    )
    const rpc = served.map((node) => node.rpc)
    const steps: EventStep[] = []
    const reverted = new Set<number>()
    let history: readonly EvmCheckpoint[] = []
    while (newest < last) {
      const onStep = ({ block, revertTo }: EventStep) => {
        if (revertTo) reverted.add(newest - revertTo.number)
        newest = block.number
      }
      // The next reader continues as after a restart.
      const options = { published: history, count: 1 + random.integer(400), onStep }
      const source = await readAll(settings(rpc, { end: last, poll: 0.005 }), options)
      history = source.history()
      steps.push(...source.steps)
    }
    expect([...reverted].sort((one, other) => one - other)).toEqual(Array.from({ length: 64 }, (_, index) => index + 1))
    expect(eventsOf(steps)).toEqual(eventsOn(chain, isOfToken))
  }, 60_000)
})
