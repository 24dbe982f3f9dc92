import { setTimeout as delay } from 'node:timers/promises'
import { id, toBeHex, zeroPadValue } from 'ethers'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import type { Call } from '../../testbed/recorded-chain/answer-call.ts'
import { createLogBlocks } from '../../testbed/recorded-chain/log-blocks.ts'
import type { LogContent } from '../../testbed/recorded-chain/logs-bloom.ts'
import { createReplayedChain, type ReplayedChain } from '../../testbed/recorded-chain/replayed-chain.ts'
import type { EventFilter, EventStep, EvmCheckpoint, RpcLog } from '../src/index.ts'
import { type ConnectHttp, connectPool } from '../src/rpc/http-connection.ts'
import { eventSettings, eventsOf, eventsOn, readAll, useReplayedNodes } from './events.ts'

const nodes = useReplayedNodes()
const random = createRandom(3)
const address = (index: number) => zeroPadValue(toBeHex(index + 1), 20)
const word = (value: number) => zeroPadValue(toBeHex(value), 32)
const factory = `0x${'fa'.repeat(20)}`
const createdTopic = id('PoolCreated(uint24,address,address)')
const swapTopic = id('Swap(address,int256)')
const pools = 500
const last = 1200

/** Pools are created over the whole chain, some blocks after events of theirs, and have events until the end. */
const blocks = createLogBlocks(
  Array.from({ length: last + 1 }, (_, number): LogContent[] => {
    const made = Math.floor((number * pools) / last)
    const next = Math.floor(((number + 1) * pools) / last)
    const created = Array.from({ length: Math.min(next, pools) - made }, (_, index) => creation(factory, made + index))
    const others = Array.from({ length: 6 }, () => swap(random.integer(pools + 50)))
    // A pool whose event comes before that of the factory in the block, and one of another factory.
    return [...(next > made ? [swap(next - 1)] : []), ...created, ...others, creation(address(9), pools + 10)]
  }),
)

function creation(by: string, pool: number): LogContent {
  const parties = [word(30), zeroPadValue(address(pool), 32)]
  return {
    address: by,
    topics: [createdTopic, zeroPadValue(address(pool), 32)],
    data: `0x${parties.map((each) => each.slice(2)).join('')}`,
  }
}

function swap(pool: number): LogContent {
  return { address: address(pool), topics: [swapTopic, word(pool)], data: word(random.integer(1000)) }
}

const ofPools: EventFilter = {
  event: 'Swap(address indexed by, int256 amount)',
  factory: { address: factory, event: 'PoolCreated(uint24 fee, address pool, address indexed of)', argument: 'pool' },
}

/** The events of pools from the block of their creation on, and what else is wanted. */
function expectedOn(chain: ReplayedChain, isWantedToo: (log: RpcLog) => boolean = () => false) {
  const created = new Map<string, number>()
  for (let number = 0; number <= chain.head; number++)
    for (const { logs } of chain.read(chain.at(number)!).receipts)
      for (const log of logs)
        if (log.address === factory && log.topics[0] === createdTopic) {
          const pool = `0x${log.data.slice(-40)}`
          if (!created.has(pool)) created.set(pool, number)
        }
  return eventsOn(chain, (log, number) => {
    const isOfPool = log.topics[0] === swapTopic && (created.get(log.address) ?? number + 1) <= number
    return isOfPool || isWantedToo(log)
  })
}

describe('a factory', () => {
  test('selects the events of 500 contracts from the block of their creation on', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: last })
    const node = await nodes.serve({ chain })
    const { steps } = await readAll(eventSettings(node.rpc, { events: [ofPools], end: last }))
    const events = eventsOf(steps)
    expect(events).toEqual(expectedOn(chain))
    const contracts = new Set(events.flatMap(({ logs }) => logs.map(({ address }) => address)))
    expect(contracts.size).toBeGreaterThan(pools * 0.9)
  })

  test('selects the events of a contract whose creation a node reports late', async () => {
    // Without blooms, because these show that events are missing.
    const recorded = blocks.map(({ block: { logsBloom: _, ...block }, receipts }) => ({ block, receipts }))
    const chain = createReplayedChain({ recorded, head: last })
    const { rpc } = await nodes.serve({ chain, logLimits: { mostBlocks: 50 } })
    let late = 0
    const connect: ConnectHttp = (...target) => {
      const connection = connectPool(...target)
      return {
        ...connection,
        async post(request) {
          if (request.body.includes(createdTopic) && late++ % 2 === 0) await delay(50)
          return connection.post(request)
        },
      }
    }
    const { steps } = await readAll(eventSettings(rpc, { events: [ofPools], end: last }), { connect })
    expect(late).toBeGreaterThan(4)
    expect(eventsOf(steps)).toEqual(expectedOn(chain))
  })

  test('shares a reader with other filters, on nodes that limit requests', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: last })
    const { rpc } = await nodes.serve({ chain, logLimits: { mostBlocks: 70, mostResults: 100 }, mostCalls: 7 })
    const events = [ofPools, { address: factory }, { event: 'Swap(address indexed, int256)', address: address(520) }]
    const { steps } = await readAll(eventSettings(rpc, { events, end: last }))
    expect(eventsOf(steps)).toEqual(expectedOn(chain, (log) => log.address === factory || log.address === address(520)))
  })

  test('finds its contracts again after a restart and after reorganisations', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: 500 })
    const { rpc } = await nodes.serve({ chain, fault: move })
    let newest = -1
    function move({ params: [name] }: Call): undefined {
      if (name !== 'latest' || newest < chain.head || chain.head === last) return
      if (random.integer(2) === 0) chain.reorganise(1 + random.integer(64))
      chain.grow(Math.min(last - chain.head, 60))
    }
    const steps: EventStep[] = []
    let history: readonly EvmCheckpoint[] = []
    while (newest < last) {
      const settings = eventSettings(rpc, { events: [ofPools], end: last, poll: 0.005 })
      const onStep = ({ block }: EventStep) => {
        newest = block.number
      }
      const source = await readAll(settings, { published: history, count: 1 + random.integer(100), onStep })
      steps.push(...source.steps)
      history = source.history()
    }
    expect(steps.filter(({ revertTo }) => revertTo)).not.toHaveLength(0)
    expect(eventsOf(steps)).toEqual(expectedOn(chain))
  }, 60_000)

  test('finds its contracts after a restart if one of two nodes omits the events of the factory', async () => {
    const chain = createReplayedChain({ recorded: blocks, head: last })
    const good = await nodes.serve({ chain })
    const isOfFactory = (request: unknown) => Object(request).toBlock && Object(request).address?.includes(factory)
    const bad = await nodes.serve({
      chain,
      fault: ({ params: [request] }) => (isOfFactory(request) ? 'truncated_logs' : undefined),
    })
    const settings = eventSettings([bad.rpc, good.rpc], { events: [ofPools], end: last })
    const before = await readAll(eventSettings(good.rpc, { events: [ofPools], end: 900 }))
    const after = await readAll(settings, { published: before.history() })
    expect(eventsOf([...before.steps, ...after.steps])).toEqual(expectedOn(chain))
  })
})
