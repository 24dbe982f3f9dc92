import type { ConnectHttp } from '../../../evm/src/rpc/http-connection.ts'
import type { Call } from '../../recorded-chain/answer-call.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'
import { createAnswerFaults } from './answer-faults.ts'
import { isOnBranchOf, type SimulatedBlock } from './block-tree.ts'
import { createReplica, type ReplicaOptions } from './replica.ts'
import type { SimulatedChain } from './simulated-chain.ts'
import { createSimulatedEndpoint } from './simulated-endpoint.ts'

/** Endpoints of a simulated chain, which lag, disagree, and give wrong answers or none. */
export interface SimulatedNodes {
  readonly urls: readonly string[]
  /** Replaces the HTTP connections of the source. */
  readonly connect: ConnectHttp
  /** Number of requests so far. */
  readonly requests: number
  /** Number of the highest block of any node so far. */
  readonly highest: number
  /** Whether a node has ever been on a branch with another block of this number. */
  contradicted(block: SimulatedBlock): boolean
  readonly disturbances: readonly Disturbance[]
}

export interface SimulatedNodesOptions extends Pick<ReplicaOptions, 'longestFork'> {
  readonly chain: SimulatedChain
  readonly endpoints: number
  /** Interval of blocks of a node on its own branch. */
  readonly blockMs: number
  /** Whether the reader detects that the last transaction of an old block is missing: see `EvmSettings.verify`. */
  readonly seesAll: boolean
}

/** Distance from the head up to which a reader counts the transactions of blocks. */
const countedBlocks = 16

export function createSimulatedNodes(world: World, options: SimulatedNodesOptions): SimulatedNodes {
  const { chain, blockMs, longestFork, seesAll } = options
  const { random } = world
  const heads = new Set<SimulatedBlock>()
  let highest = 0
  const isCounted = ({ params: [number] }: Call) => Number(number) > highest - countedBlocks
  const faults = createAnswerFaults(world, (call) => seesAll || isCounted(call))

  function onHead(head: SimulatedBlock): void {
    heads.add(head)
    highest = Math.max(highest, head.number)
  }

  function createEndpoint(name: string) {
    const count = random.integer(4) === 0 ? 2 : 1
    const replicas = Array.from({ length: count }, (_, index) =>
      createReplica(world, {
        ...{ chain, blockMs, onHead, name: count === 1 ? name : `${name}.${index + 1}` },
        ...(longestFork !== undefined && { longestFork }),
      }),
    )
    return { replicas, endpoint: createSimulatedEndpoint(world, { name, replicas, faults }) }
  }

  const all = Array.from({ length: options.endpoints }, (_, index) => createEndpoint(`node-${index + 1}`))
  const replicas = all.flatMap((each) => each.replicas)
  const endpoints = all.map(({ endpoint }) => endpoint)
  const someTime = (): number => random.integer(random.pick([2_000, 20_000, 100_000]))

  return {
    urls: endpoints.map(({ url }) => url),
    connect: (origin, connection) => endpoints.find(({ url }) => url === origin)!.connect(connection),
    get requests() {
      return endpoints.reduce((sum, { requests }) => sum + requests, 0)
    },
    get highest() {
      return highest
    },
    contradicted: (block) => [...heads].some((head) => head.number >= block.number && !isOnBranchOf(head, block)),
    disturbances: [
      { kind: 'node lags', strike: () => random.pick(replicas).stop(someTime()) },
      { kind: 'node forks', strike: () => random.pick(replicas).fork(someTime()) },
      { kind: 'node away', strike: () => random.pick(endpoints).goAway(someTime()) },
    ],
  }
}
