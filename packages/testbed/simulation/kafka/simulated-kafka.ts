import type { Queue } from '../../../queue/src/index.ts'
import { createCluster } from '../../../queue/src/kafka/connection/cluster.ts'
import { createConnections } from '../../../queue/src/kafka/connection/connections.ts'
import { defaultKafkaSettings, type KafkaSettings } from '../../../queue/src/kafka/connection/kafka-settings.ts'
import { plaintextSecurity } from '../../../queue/src/kafka/connection/security/security.ts'
import { openKafkaQueue } from '../../../queue/src/kafka/kafka-queue.ts'
import type { Logger } from '../../../queue/src/logger.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import { createSimulatedCluster, type OnStable, type SimulatedCluster } from './cluster.ts'
import { connectTo } from './network.ts'
import { createPermissions } from './permissions.ts'
import { createHandlers } from './requests.ts'

export interface SimulatedKafka extends SimulatedCluster {
  /** Opens the product's Kafka engine on this cluster, in a program. */
  open(program: Program): Promise<Queue>
  /** Delays all messages between a program and the brokers for some time. */
  cutOff(program: Program, ms: number): void
}

export interface SimulatedKafkaOptions {
  /** Called with the batches that become visible to readers of committed records, in the order of offsets. */
  readonly onStable?: OnStable
  readonly settings?: Partial<KafkaSettings>
}

/** Three brokers or one. The seed determines transaction version, delays and faults. */
export function createSimulatedKafka(
  world: World,
  { onStable, ...options }: SimulatedKafkaOptions = {},
): SimulatedKafka {
  const slowness = world.random.pick([1, 1, 5, 40])
  const delay = (): number => (world.faulty ? 0.2 + (world.random.integer(100) / 100) * slowness : 0.5)
  let slowestMs = 0
  const requestDelay = (): number => delay() + (slowestMs && world.random.integer(slowestMs))
  const transactionVersion = world.random.pick([0, 2] as const)
  const cluster = createSimulatedCluster({
    world,
    brokers: world.random.pick([3, 3, 3, 3, 3, 1]),
    transactionVersion,
    brokerDelay: delay,
    ...(onStable && { onStable }),
  })
  const permissions = createPermissions(world, cluster)
  const handlers = permissions.guard(createHandlers(world, cluster))
  const { brokers } = cluster
  // Compression runs on real threads, whose timing no seed determines.
  const settings = { ...defaultKafkaSettings, ...options.settings, compression: 'none' } as const
  const cutUntil = new WeakMap<Program, number>()
  return {
    ...cluster,
    disturbances: [
      ...cluster.disturbances,
      permissions.disturbance,
      {
        kind: 'network slow',
        async strike() {
          slowestMs = world.random.pick([1_000, 12_000])
          const ms = world.random.integer(60_000)
          world.note('network', `delivers a message within ${slowestMs} ms, for ${ms} ms`)
          world.faultLasts(ms + slowestMs)
          await world.wait(ms)
          slowestMs = 0
        },
      },
    ],
    cutOff(program, ms) {
      world.note('network', `cuts ${program.name} off for ${ms} ms`)
      world.faultLasts(ms)
      cutUntil.set(program, world.now() + ms)
    },
    open(program) {
      const connect = connectTo({
        world,
        brokers,
        handlers,
        program,
        delay: requestDelay,
        requestTimeoutMs: settings.requestTimeoutMs,
        cutUntil: () => cutUntil.get(program) ?? 0,
      })
      return openKafkaQueue(
        createCluster({
          bootstrap: rotated(brokers, world.random.integer(brokers.length)).map(({ id }) => ({
            host: 'broker',
            port: id,
          })),
          settings,
          security: plaintextSecurity,
          log: loggerOf(world, program),
          connections: createConnections(settings, plaintextSecurity, connect),
        }),
      )
    },
  }
}

/** Clients ask the first broker of their list first. */
const rotated = <T>(all: readonly T[], by: number): T[] => [...all.slice(by), ...all.slice(0, by)]

/** A logger whose lines are part of the trace. */
export function loggerOf(world: World, { name }: Program): Logger {
  const line = (level: string) => (fields: object, message?: string) =>
    world.note(
      name,
      () =>
        `${level}: ${message} ${JSON.stringify(fields, (_, value) => (typeof value === 'bigint' ? `${value}` : value)).slice(0, 200)}`,
    )
  return { debug() {}, info: line('info'), warn: line('warn'), error: line('error') }
}
