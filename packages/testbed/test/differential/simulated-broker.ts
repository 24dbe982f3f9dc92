import { setImmediate } from 'node:timers/promises'
import { createRandom } from '../../random.ts'
import { createSimulatedCluster } from '../../simulation/kafka/cluster.ts'
import { apiNames, createHandlers } from '../../simulation/kafka/requests.ts'
import { createTimeline } from '../../simulation/time/timeline.ts'
import type { World } from '../../simulation/world/world.ts'
import type { TestedBroker } from './tested-broker.ts'

/** A simulated broker without faults, with its own time. */
export function createSimulatedBroker(seed: number, transactionVersion: 0 | 2): TestedBroker {
  const timeline = createTimeline()
  const wait = (ms: number) => new Promise<void>((resolve) => void timeline.later(ms, resolve))
  const world: World = {
    random: createRandom(seed),
    now: () => timeline.now,
    later: timeline.later,
    wait,
    strikes: () => false,
    struck: new Set(),
    faultsEnd: 0,
    faulty: false,
    calmMs: 0,
    healed: Promise.resolve(),
    faultLasts() {},
    countRequest() {},
    allowRequests() {},
    fail(what) {
      throw new Error(what)
    },
    note() {},
  }
  const cluster = createSimulatedCluster({ world, brokers: 1, transactionVersion, brokerDelay: () => 0.5 })
  const handlers = createHandlers(world, cluster)

  /** Advances time until a promise is settled. */
  async function pass<T>(running: Promise<T>): Promise<T> {
    let ended = false
    const end = () => {
      ended = true
    }
    running.then(end, end)
    do await setImmediate()
    while (!ended && timeline.advance())
    return running
  }

  return {
    request: (async (api: { readonly key: number; readonly version: number }, ...args: never[]) =>
      pass(Promise.resolve(handlers[apiNames[api.key]!]!(1, api.version, ...args)))) as TestedBroker['request'],
    wait: (ms) => pass(wait(ms)),
    settled: () => pass(wait(1_000)),
    timedOut: () => pass(wait(12_000)),
    close: async () => {},
  }
}
