import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import { begin } from '../time/replace-clocks.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'
import { createAnnouncements } from './announcements.ts'
import { type Broker, createBroker } from './broker.ts'
import type { CoordinatorTerm } from './coordinator-log.ts'
import { encodeMarker } from './marker.ts'
import type { Partition } from './partition.ts'
import type { LoggedBatch } from './replica.ts'
import { coordinatorFenced, createPartition } from './replicated-partition.ts'
import { topicConfigs } from './topic-configs.ts'
import { createTopics, type Topics } from './topics.ts'
import { createTransactionCoordinator, type Markers, type TransactionCoordinator } from './transaction-coordinator.ts'

export interface SimulatedCluster {
  readonly brokers: readonly Broker[]
  readonly coordinator: TransactionCoordinator
  readonly transactionVersion: 0 | 2
  readonly topics: Topics
  /** Whether a broker answers another one. */
  reach(from: number, to: number): boolean
  /** The faults of the cluster. */
  readonly disturbances: readonly Disturbance[]
}

/** Gets the id of the topic too, because a deleted name can be used again. */
export type OnStable = (topic: string, partition: number, batches: readonly LoggedBatch[], topicId: string) => void

export interface ClusterOptions {
  readonly world: World
  readonly brokers?: number
  readonly transactionVersion: 0 | 2
  /** Delay of a message between two brokers, in ms. */
  readonly brokerDelay: () => number
  /** Called with the batches that become visible to readers of committed records, in the order of offsets. */
  readonly onStable?: OnStable
}

export function createSimulatedCluster(options: ClusterOptions): SimulatedCluster {
  const { world, brokers: count = 3, transactionVersion, brokerDelay, onStable = () => {} } = options
  const minInSync = count > 2 ? 2 : 1
  const announce = createAnnouncements(world, brokerDelay)
  const canCreate = () => brokers.some(({ fenced }) => !fenced)
  const topics = createTopics(world, canCreate, ({ name: topic, id, configs }, index) => {
    const partition = createPartition({
      world,
      topic,
      index,
      brokers,
      configs: topicConfigs(configs),
      minInSync,
      brokerDelay,
      announce,
      onStable: (batches) => onStable(topic, index, batches, id),
    })
    partition.elect(anyBroker().id)
    return partition
  })
  const logs = () => [...topics.partitions, coordinator.log]
  const brokers = Array.from({ length: count }, (_, index) =>
    createBroker(world, index + 1, {
      changed(broker) {
        for (const log of logs()) log.brokerChanged(broker)
      },
      caughtUp(broker) {
        for (const log of logs()) log.announce(broker)
      },
      started(broker) {
        for (const log of logs()) log.brokerStarted(broker)
      },
      serves(broker) {
        for (const log of logs()) log.brokerServes(broker)
      },
    }),
  )
  const coordinator = createTransactionCoordinator({
    world,
    brokers,
    brokerDelay,
    transactionVersion,
    maxTimeoutMs: 900_000,
    writeMarkers,
  })

  async function writeMarkers(term: CoordinatorTerm, markers: Markers, stillNeeded: () => boolean): Promise<boolean> {
    const bytes = encodeMarker(markers, markers.committed, begin + Math.floor(world.now()))
    const written = await Promise.all(markers.partitions.map((key) => writeMarker(term, key, bytes, stillNeeded)))
    return written.every((one) => one)
  }

  async function writeMarker(
    term: CoordinatorTerm,
    key: string,
    bytes: Uint8Array,
    stillNeeded: () => boolean,
  ): Promise<boolean> {
    const { process: coordinating, epoch } = term
    if (world.strikes('markers late')) {
      const ms = world.random.integer(world.random.pick([1_000, 30_000, 120_000]))
      world.note(coordinating.name, `writes its marker to ${key} ${ms} ms late`)
      world.faultLasts(ms)
      await world.wait(ms, coordinating)
    }
    for (;;) {
      await world.wait(brokerDelay(), coordinating)
      const partition = stillNeeded() ? find(key) : undefined
      // A deleted topic needs no marker.
      if (!partition) return true
      const { leader } = partition.leadership
      const leading = brokerOf(leader)
      if (leading && reach(term.broker, leading)) {
        const options = { coordinatorEpoch: epoch, bumped: transactionVersion === 2 }
        const lost = new Promise<void>((resolve) => leading.onDisconnect(resolve))
        const code = await Promise.race([partition.writeMarker(leader, bytes, options), lost, world.wait(35_000)])
        if (code === codes.NONE) return true
        // A newer coordinator or producer has written: this one gives up.
        if (code === codes.INVALID_PRODUCER_EPOCH || code === coordinatorFenced) {
          world.note(coordinating.name, `gives up its marker to ${key}: error ${code}`)
          return false
        }
      }
      await world.wait(20, coordinating)
    }
  }

  /** Whether a broker answers another one. */
  function reach(from: Broker, { id, process, isolation }: Broker): boolean {
    return (
      process !== undefined && process.pausedUntil <= world.now() && (id === from.id || !(isolation ?? from.isolation))
    )
  }

  const brokerOf = (node: number): Broker | undefined => brokers.find(({ id }) => id === node)

  function find(key: string): Partition | undefined {
    const at = key.lastIndexOf('/')
    return topics.current.get(key.slice(0, at))?.partitions[Number(key.slice(at + 1))]
  }

  const anyBroker = (): Broker => world.random.pick(brokers)
  /** Whether one more broker may fail without readers and writers having to wait. */
  const spare = (): boolean =>
    brokers.every(
      ({ process, fenced, isolation }) => process && process.pausedUntil <= world.now() && !fenced && !isolation,
    )

  const allInSync = (): boolean =>
    [...topics.current.values()].every(({ partitions }) => partitions.every(({ inSync }) => inSync === count))

  /** Two of three brokers are enough: when the faults end and all are in sync, one fails permanently. */
  async function breakOne(): Promise<void> {
    await world.healed
    while (!spare() || !allInSync()) await world.wait(1_000)
    const broker = anyBroker()
    world.random.pick([
      () => broker.kill(),
      () => broker.pause(Number.POSITIVE_INFINITY),
      () => broker.isolate(Number.POSITIVE_INFINITY),
    ])()
  }

  coordinator.log.elect()
  if (count > 2 && world.strikes('broker stays broken')) void breakOne()
  return {
    brokers,
    coordinator,
    transactionVersion,
    topics,
    reach: (from, to) => reach(brokerOf(from)!, brokerOf(to)!),
    disturbances: [
      {
        kind: 'leader moved',
        strike() {
          const all = topics.partitions
          if (all.length === 0) return
          const partition = world.random.pick(all)
          const to = anyBroker().id
          world.note('controller', `moves the leader of ${partition.topic}/${partition.index} to ${to}`)
          partition.elect(to)
        },
      },
      {
        kind: 'log compacted',
        strike() {
          world.note('world', 'compacts the logs of some brokers')
          for (const partition of topics.partitions) partition.compact()
        },
      },
      {
        kind: 'coordinator moved',
        strike() {
          const to = anyBroker().id
          const loadMs = world.random.integer(world.random.pick([20, 200, 2_000, 60_000]))
          world.note('controller', `moves the transaction coordinator to ${to}, which loads for ${loadMs} ms`)
          world.faultLasts(loadMs)
          coordinator.log.elect({ to, loadMs })
        },
      },
      {
        kind: 'broker killed',
        async strike() {
          if (!spare()) return
          const broker = anyBroker()
          broker.kill()
          const downMs = world.random.integer(world.random.pick([500, 15_000, 60_000]))
          world.faultLasts(downMs)
          await world.wait(downMs)
          broker.start()
        },
      },
      {
        kind: 'broker cut off',
        async strike() {
          if (!spare()) return
          const ms = world.random.integer(world.random.pick([5_000, 60_000]))
          anyBroker().isolate(ms)
          await world.wait(ms)
        },
      },
      {
        kind: 'broker paused',
        async strike() {
          if (!spare()) return
          const ms = world.random.integer(world.random.pick([1_000, 60_000]))
          anyBroker().pause(ms)
          await world.wait(ms)
        },
      },
    ],
  }
}
