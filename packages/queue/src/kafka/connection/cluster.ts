import { type Logger, silentLogger } from '../../logger.ts'
import type { TopicPartition } from '../../queue.ts'
import { type BrokerAddress, formatBroker } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { isTransient, ThrottledError } from './broker-error.ts'
import { type Connections, createConnections } from './connections.ts'
import { type Coordinators, createCoordinators } from './coordinators.ts'
import { defaultKafkaSettings, type KafkaSettings } from './kafka-settings.ts'
import { createMetadata, type Leadership, type Metadata } from './metadata.ts'
import { type Attempt, forAttempt, retry } from './retry.ts'
import { readClientProperties } from './security/client-properties.ts'
import { plaintextSecurity, principalOf, type Security } from './security/security.ts'

export interface ClusterOptions {
  readonly bootstrap: readonly BrokerAddress[]
  readonly settings: KafkaSettings
  readonly security: Security
  readonly log: Logger
  readonly connections?: Connections
}

export interface Leader {
  readonly address: BrokerAddress
  readonly term: Leadership
  /** Default lane: the one for quick requests. */
  connect(lane?: string): Promise<BrokerConnection>
}

export interface Cluster extends Pick<ClusterOptions, 'settings' | 'log'> {
  readonly principal: string | undefined
  warnOnce(message: string, fields: object, key?: string): void
  readonly metadata: Metadata
  readonly connections: Connections
  readonly coordinators: Coordinators
  readonly throttling: { answers: number; ms: number }
  readonly signal: AbortSignal
  /** A request with an effect must be sent through `forAttempt`. */
  retry<T>(what: string, attempt: (current: Attempt) => Promise<T>): Promise<T>
  onAny<T>(what: string, attempt: Ask<T>): Promise<T>
  onLeader<T>(what: string, place: TopicPartition, attempt: (leader: Leader) => Promise<T>): Promise<T>
  onCoordinator<T>(what: string, transactionalId: string, attempt: Ask<T>, lane?: string): Promise<T>
  close(): void
}

type Ask<T> = (connection: BrokerConnection) => Promise<T>

export interface KafkaOptions {
  readonly bootstrap: readonly BrokerAddress[]
  /** Path of a `client.properties` file. */
  readonly kafkaConfig?: string
  readonly log?: Logger
  readonly settings?: Partial<KafkaSettings>
}

/** Connects to no broker yet. Throws as `readClientProperties`. */
export async function openCluster(options: KafkaOptions): Promise<Cluster> {
  const { bootstrap, log = silentLogger } = options
  return createCluster({ bootstrap, log, ...(await readClientOptions(options)) })
}

/** A setting of the options overrides one of the file. */
export async function readClientOptions({
  kafkaConfig,
  log,
  settings,
}: Omit<KafkaOptions, 'bootstrap'>): Promise<Pick<ClusterOptions, 'security' | 'settings'>> {
  const properties = kafkaConfig === undefined ? undefined : await readClientProperties(kafkaConfig, log)
  return {
    security: properties?.security ?? plaintextSecurity,
    settings: { ...defaultKafkaSettings, ...properties?.settings, ...settings },
  }
}

export function createCluster(options: ClusterOptions): Cluster {
  const { bootstrap, settings, security, log, connections = createConnections(settings, security) } = options
  const metadata = createMetadata(bootstrap, connections, settings)
  const coordinators = createCoordinators(metadata, connections)
  const closing = new AbortController()
  const warnings = new Set<string>()
  const principal = principalOf(security)
  const brokers = bootstrap.map(formatBroker).join(',')
  const retrying = <T>(what: string, attempt: (current: Attempt) => Promise<T>): Promise<T> =>
    retry({ what, brokers, budgetMs: settings.budgetMs, signal: closing.signal, log, principal }, attempt)

  return {
    settings,
    log,
    principal,
    warnOnce(message, fields, key = message) {
      if (!warnings.has(key)) log.warn(fields, message)
      warnings.add(key)
    },
    metadata,
    connections,
    coordinators,
    throttling: { answers: 0, ms: 0 },
    signal: closing.signal,
    retry: retrying,
    onAny(what, attempt) {
      return retrying(what, async (current) => attempt(forAttempt(await metadata.anyBroker(), current)))
    },
    onLeader(what, place, attempt) {
      return retrying(what, (current) =>
        forgetLeadersOnFailure(metadata, [place], async () => {
          const term = await metadata.leader(place.topic, place.partition)
          const address = metadata.address(term.node)
          const connect = async (lane?: string) => forAttempt(await connections.to(address, lane), current)
          return attempt({ address, term, connect })
        }),
      )
    },
    onCoordinator(what, transactionalId, attempt, lane) {
      const startedAt = performance.now()
      return retrying(what, async (current) => {
        try {
          const node = await coordinators.find(transactionalId)
          return await attempt(forAttempt(await connections.to(metadata.address(node), lane), current))
        } catch (error) {
          const suspected = performance.now() - startedAt > suspectMs
          if (isTransient(error)) coordinators.forget(transactionalId, { suspected })
          throw error
        }
      })
    },
    close() {
      closing.abort()
      connections.close()
    },
  }
}

/** A coordinator that still fails after this time may have been replaced. */
const suspectMs = 1_000

/** If leaders have moved, they are fetched again when they are needed next. */
export async function forgetLeadersOnFailure<T>(
  metadata: Metadata,
  places: readonly TopicPartition[],
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (isTransient(error) && !(error instanceof ThrottledError)) for (const { topic } of places) metadata.forget(topic)
    throw error
  }
}
