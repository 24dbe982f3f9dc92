import { UnknownTopicError, UserError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { type BrokerAddress, formatBroker } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { BrokerError, brokerErrorCodes, checkAnswer, NoAnswerError } from './broker-error.ts'
import type { Connections } from './connections.ts'
import { enoughOf } from './enough-of.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import { metadataV12 } from './requests.ts'

export interface TopicMetadata {
  readonly name: string
  /** A topic that is created again has another id (KIP-516). */
  readonly id: string
  /** Whether the topic belongs to Kafka itself, like `__transaction_state`. */
  readonly internal: boolean
  readonly leaders: readonly Leadership[]
  /** Number of replicas of the partition that has the fewest. */
  readonly replicas: number
}

export function placesOf({ name: topic, leaders }: TopicMetadata): TopicPartition[] {
  return leaders.map((_, partition) => ({ topic, partition }))
}

export interface Leadership {
  /** −1 without a leader. */
  readonly node: number
  /** The leader epoch, which identifies the term (KIP-320). */
  readonly epoch: number
  readonly replicas: readonly number[]
  /** Whether its high watermark has passed the start of its term. Before, Fetch may miss committed records (KIP-207). */
  caughtUp: boolean
}

export interface Metadata {
  /** Returns the same broker until it fails or `metadataMaxAgeMs` has passed. */
  anyBroker(): Promise<BrokerConnection>
  nodes(): readonly number[]
  address(node: number): BrokerAddress
  addBroker(node: number, address: BrokerAddress): void
  /** The named topics that exist, or all. Without `from`, other brokers must confirm that a topic does not exist. */
  fetch(topics: readonly string[] | null, from?: BrokerConnection): Promise<Map<string, TopicMetadata>>
  refresh(topics: readonly string[]): Promise<Map<string, TopicMetadata>>
  /** Cached, with a term that never decreases. Throws `UnknownTopicError`, or a transient error. */
  leader(topic: string, partition: number): Promise<Leadership>
  topicId(topic: string): string | undefined
  forget(topic: string): void
}

interface CachedTopic extends TopicMetadata {
  fetchedAt: number
  /** The leaders must be fetched again. Their terms still count as seen. */
  outdated: boolean
}

export function createMetadata(
  bootstrap: readonly BrokerAddress[],
  connections: Connections,
  { metadataMaxAgeMs }: KafkaSettings,
): Metadata {
  const brokers = new Map<number, BrokerAddress>()
  const topics = new Map<string, CachedTopic>()
  let current = ''
  let currentSince = performance.now()
  let lastRefreshed = ''
  /** The current broker has answered with older metadata than another one. */
  let currentIsStale = false

  /** Starting with `first` (step 0) or with the address after it (step 1). */
  function rotate(first: string, step: 0 | 1): BrokerAddress[] {
    const names = new Map([...brokers.values(), ...bootstrap].map((address) => [formatBroker(address), address]))
    const addresses = [...names.values()]
    const start = Math.max(0, [...names.keys()].indexOf(first)) + step
    return [...addresses.slice(start), ...addresses.slice(0, start)]
  }

  async function anyBroker(): Promise<BrokerConnection> {
    // A broker that is cut off answers with old metadata.
    const change = currentIsStale || performance.now() - currentSince >= metadataMaxAgeMs
    if (change) currentSince = performance.now()
    currentIsStale = false
    const addresses = rotate(current, change ? 1 : 0)
    current = formatBroker(addresses[0]!)
    let failure: unknown
    // Waiting for a broker that failed could use up the whole budget.
    addresses.sort((one, other) => connections.lastFailure(one) - connections.lastFailure(other))
    for (const address of addresses) {
      try {
        return await connections.to(address)
      } catch (error) {
        // Rather than a transient error of another broker.
        if (!(failure instanceof UserError)) failure = error
      }
    }
    throw failure
  }

  async function fetch(names: readonly string[] | null, from?: BrokerConnection): Promise<Map<string, TopicMetadata>> {
    const connection = from ?? (await anyBroker())
    const found = await fetchFrom(connection, names, () => {
      currentIsStale = true
    })
    const missing = [...(names ?? topics.keys())].filter((name) => !found.has(name))
    if (from || missing.length === 0) return found
    for (const [name, topic] of await confirmGone(missing)) found.set(name, topic)
    for (const name of missing)
      if (found.has(name)) currentIsStale = true
      else topics.delete(name)
    return found
  }

  /** Asks more than half of the brokers: one that was down or is cut off does not know newer topics. */
  async function confirmGone(missing: readonly string[]): Promise<ReadonlyMap<string, TopicMetadata>> {
    const found = new Map<string, TopicMetadata>()
    const needed = Math.floor(brokers.size / 2) + 1
    let answers = 0
    const asking = [...brokers.values()].map(async (address) => {
      for (const topic of (await fetchFrom(await connections.to(address), missing)).values())
        found.set(topic.name, topic)
      return ++answers >= needed || found.size === missing.length
    })
    if (!(await enoughOf(1, asking)))
      throw new NoAnswerError(`one broker does not know topic "${missing[0]}", and too few others answered`)
    return found
  }

  /** `onStale` is called for the leader of an earlier term. */
  async function fetchFrom(
    connection: BrokerConnection,
    names: readonly string[] | null,
    onStale = (): void => {},
  ): Promise<Map<string, TopicMetadata>> {
    const fetchedAt = performance.now()
    const answer = await connection.request(metadataV12.api, names && [...names], false, false)
    brokers.clear()
    for (const { nodeId, host, port } of answer.brokers) brokers.set(nodeId, { host, port })
    const found = new Map<string, TopicMetadata>()
    for (const { errorCode, name, topicId, isInternal, partitions } of answer.topics) {
      if (errorCode === brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION || !name) continue
      checkAnswer(errorCode, `metadata of topic "${name}"`, { request: 'Metadata', topic: name })
      const known = topics.get(name)
      const leaders: Leadership[] = []
      for (const { partitionIndex, leaderId, leaderEpoch, replicaNodes } of partitions) {
        const before = known?.id === topicId ? known.leaders[partitionIndex] : undefined
        const term = { node: leaderId, epoch: leaderEpoch, replicas: replicaNodes, caughtUp: false }
        leaders[partitionIndex] = nextTerm(before, term)
        if (before && leaderEpoch < before.epoch) onStale()
      }
      const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length))
      found.set(name, { name, id: topicId, internal: isInternal, leaders, replicas })
    }
    for (const topic of found.values()) topics.set(topic.name, { ...topic, fetchedAt, outdated: false })
    return found
  }

  async function refresh(names: readonly string[]): Promise<Map<string, TopicMetadata>> {
    const [address] = rotate(lastRefreshed, 1)
    lastRefreshed = formatBroker(address!)
    return fetchFrom(await connections.to(address!), names)
  }

  function refreshAged(topic: CachedTopic): void {
    if (performance.now() - topic.fetchedAt < metadataMaxAgeMs) return
    topic.fetchedAt = performance.now()
    refresh([topic.name]).catch(() => {})
  }

  return {
    anyBroker,
    fetch,
    refresh,
    nodes: () => [...brokers.keys()],
    address(node) {
      const address = brokers.get(node)
      if (!address) throw new NoAnswerError(`broker ${node} is not known`)
      return address
    },
    addBroker(node, address) {
      brokers.set(node, address)
    },
    async leader(topic, partition) {
      const cached = topics.get(topic)
      if (cached) refreshAged(cached)
      let leaders = cached?.outdated ? undefined : cached?.leaders
      if ((leaders?.[partition]?.node ?? -1) < 0) leaders = (await fetch([topic])).get(topic)?.leaders
      const leader = leaders?.[partition]
      if (!leader) throw new UnknownTopicError(topic, leaders && partition)
      if (leader.node < 0)
        throw new BrokerError(brokerErrorCodes.LEADER_NOT_AVAILABLE, `leader of "${topic}" ${partition}`)
      return leader
    },
    topicId(topic) {
      const cached = topics.get(topic)
      return cached?.outdated ? undefined : cached?.id
    },
    forget(topic) {
      const cached = topics.get(topic)
      if (cached) cached.outdated = true
    },
  }
}

/** Ignores the leader of an earlier term: a broker that is cut off still names it. */
function nextTerm(before: Leadership | undefined, found: Leadership): Leadership {
  if (!before || found.epoch > before.epoch) return found
  if (found.epoch < before.epoch) return { ...before, node: -1 }
  return found.node === before.node ? before : found
}
