import type { Call } from '../../../../scripts/recorded-chain/answer-call.ts'
import type { ConnectHttp } from '../../../evm/src/rpc/http-connection.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'
import { createAnswerFaults } from './answer-faults.ts'
import { isOnBranchOf, type SimulatedBlock } from './block-tree.ts'
import { createReplica, type ReplicaOptions } from './replica.ts'
import type { SimulatedChain } from './simulated-chain.ts'
import { createSimulatedEndpoint } from './simulated-endpoint.ts'

/** Endpoints of a simulated chain, which lag, disagree, answer wrongly or not at all. */
export interface SimulatedNodes {
  readonly urls: readonly string[]
  /** In place of HTTP. */
  readonly connect: ConnectHttp
  /** How many requests they have got. */
  readonly requests: number
  /** The number of the highest block that a node has had. */
  readonly highest: number
  /** Whether a node has ever been on a branch that has another block in the place of this one. */
  contradicted(block: SimulatedBlock): boolean
  readonly disturbances: readonly Disturbance[]
}

export interface SimulatedNodesOptions extends Pick<ReplicaOptions, 'longestFork'> {
  readonly chain: SimulatedChain
  readonly endpoints: number
  /** Milliseconds between two blocks of a node that is on a branch of its own. */
  readonly blockMs: number
  /** Whether the reader notices that the last transaction of an old block is missing: see `EvmSettings.verify`. */
  readonly seesAll: boolean
}

/** Up to so many blocks below the head a reader has blocks counted. */
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
