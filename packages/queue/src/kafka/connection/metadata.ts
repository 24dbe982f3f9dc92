import { UnknownTopicError, UserError } from '../../errors.ts'
import { type BrokerAddress, formatBroker } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { BrokerError, brokerErrorCodes, checkAnswer, NoAnswerError } from './broker-error.ts'
import type { Connections } from './connections.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import { metadataRequest } from './requests.ts'

export interface TopicMetadata {
  readonly name: string
  /** The broker's id of the topic (KIP-516): another after it was deleted and created again. */
  readonly id: string
  /** Kafka's own, like `__transaction_state`. */
  readonly internal: boolean
  /** The leader of each partition, in order of their number. */
  readonly leaders: readonly Leadership[]
  /** How many brokers have a copy of a partition; the fewest of any partition. */
  readonly replicas: number
}

/** One term of a broker as the leader of a partition. */
export interface Leadership {
  /** Its node id; −1 where there is no leader now. */
  readonly node: number
  /** Each term of a partition has a higher one than the term before (KIP-320). */
  readonly epoch: number
  /** Node ids of the brokers that have a copy of the partition. */
  readonly replicas: readonly number[]
  /**
   * Whether the leader is known to have caught up: its high watermark has passed the start of its term. Until then it
   * answers Fetch as if the newest records that its predecessor had committed were not there (KIP-207).
   */
  caughtUp: boolean
}

/** What the brokers say of themselves and of topics, and what of it is remembered. */
export interface Metadata {
  /** Connection to any broker that answers: the same one for some time, as long as it does. */
  anyBroker(): Promise<BrokerConnection>
  /** Node ids of the brokers that were there when last asked. */
  nodes(): readonly number[]
  /** Address of a broker by its node id. */
  address(node: number): BrokerAddress
  /** Remembers a broker. */
  addBroker(node: number, address: BrokerAddress): void
  /**
   * Asks for the named topics that exist, or all. Default: any broker. That a topic does not exist, others have to confirm:
   * a broker that was away or is cut off does not know what was created meanwhile.
   */
  fetch(topics: readonly string[] | null, from?: BrokerConnection): Promise<Map<string, TopicMetadata>>
  /** Asks for topics in the background: another broker each time, also one that did not answer before. */
  refresh(topics: readonly string[]): Promise<Map<string, TopicMetadata>>
  /**
   * The leader of a partition, as far as known; never one of an earlier term than one seen before. What is older than
   * its age limit is asked for again in the background. Throws `UnknownTopicError`, or a transient error.
   */
  leader(topic: string, partition: number): Promise<Leadership>
  /** The id that a topic had when last asked for. */
  topicId(topic: string): string | undefined
  /** Asks again the next time. */
  forget(topic: string): void
}

interface Remembered extends TopicMetadata {
  /** When it was asked for, by the monotonic clock. Moved on when it is asked for again. */
  asked: number
  /** Its leaders must be asked for again. What is known of their terms still holds. */
  outdated: boolean
}

export function createMetadata(
  bootstrap: readonly BrokerAddress[],
  connections: Connections,
  { metadataMaxAgeMs }: KafkaSettings,
): Metadata {
  const brokers = new Map<number, BrokerAddress>()
  const topics = new Map<string, Remembered>()
  let first = ''
  let since = performance.now()
  let refreshed = ''
  /** Whether the broker asked last knew less than another one did before. */
  let behind = false

  /** All addresses, one first; or the one after it, also where the brokers that are known have changed. */
  function inTurn(first: string, step: 0 | 1): BrokerAddress[] {
    const names = new Map([...brokers.values(), ...bootstrap].map((address) => [formatBroker(address), address]))
    const addresses = [...names.values()]
    const start = Math.max(0, [...names.keys()].indexOf(first)) + step
    return [...addresses.slice(start), ...addresses.slice(0, start)]
  }

  async function anyBroker(): Promise<BrokerConnection> {
    // One that is cut off from the others answers with what it knew before.
    const isNextOnesTurn = behind || performance.now() - since >= metadataMaxAgeMs
    if (isNextOnesTurn) since = performance.now()
    behind = false
    const addresses = inTurn(first, isNextOnesTurn ? 1 : 0)
    first = formatBroker(addresses[0]!)
    let failure: unknown
    // A broker that does not answer would use up the whole budget.
    for (const address of addresses.sort((one, other) => connections.silence(one) - connections.silence(other))) {
      try {
        return await connections.to(address)
      } catch (error) {
        // What somebody must mend is over another broker's absence, which may pass.
        if (!(failure instanceof UserError)) failure = error
      }
    }
    throw failure
  }

  async function fetch(names: readonly string[] | null, from?: BrokerConnection): Promise<Map<string, TopicMetadata>> {
    const connection = from ?? (await anyBroker())
    const found = await ask(names, connection, () => {
      behind = true
    })
    const missing = [...(names ?? topics.keys())].filter((name) => !found.has(name))
    if (from || missing.length === 0) return found
    for (const [name, topic] of await confirmGone(missing)) found.set(name, topic)
    for (const name of missing)
      if (found.has(name)) behind = true
      else topics.delete(name)
    return found
  }

  /** Asks more than half of the brokers for topics that one does not know, and gives those that another one knows. */
  async function confirmGone(missing: readonly string[]): Promise<ReadonlyMap<string, TopicMetadata>> {
    const found = new Map<string, TopicMetadata>()
    const decided = Promise.withResolvers<void>()
    const needed = Math.floor(brokers.size / 2) + 1
    let answers = 0
    const asking = [...brokers.values()].map(async (address) => {
      for (const topic of (await ask(missing, await connections.to(address))).values()) found.set(topic.name, topic)
      if (++answers >= needed || found.size === missing.length) decided.resolve()
    })
    await Promise.race([decided.promise, Promise.allSettled(asking)])
    if (answers < needed && found.size < missing.length)
      throw new NoAnswerError(`one broker does not know topic "${missing[0]}", and too few others answered`)
    return found
  }

  async function ask(
    names: readonly string[] | null,
    connection: BrokerConnection,
    onBehind = (): void => {},
  ): Promise<Map<string, TopicMetadata>> {
    const asked = performance.now()
    const answer = await connection.request(metadataRequest, names && [...names], false, false)
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
        if (before && leaderEpoch < before.epoch) onBehind()
      }
      const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length))
      found.set(name, { name, id: topicId, internal: isInternal, leaders, replicas })
    }
    for (const topic of found.values()) topics.set(topic.name, { ...topic, asked, outdated: false })
    return found
  }

  async function refresh(names: readonly string[]): Promise<Map<string, TopicMetadata>> {
    const [address] = inTurn(refreshed, 1)
    refreshed = formatBroker(address!)
    return ask(names, await connections.to(address!))
  }

  function refreshAged(topic: Remembered): void {
    if (performance.now() - topic.asked < metadataMaxAgeMs) return
    topic.asked = performance.now()
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
      const remembered = topics.get(topic)
      if (remembered) refreshAged(remembered)
      let leaders = remembered?.outdated ? undefined : remembered?.leaders
      if ((leaders?.[partition]?.node ?? -1) < 0) leaders = (await fetch([topic])).get(topic)?.leaders
      if (!leaders) throw new UnknownTopicError(topic)
      const leader = leaders[partition]
      if (leader === undefined) throw new UnknownTopicError(topic, partition)
      if (leader.node < 0)
        throw new BrokerError(brokerErrorCodes.LEADER_NOT_AVAILABLE, `leader of "${topic}" ${partition}`)
      return leader
    },
    topicId(topic) {
      const remembered = topics.get(topic)
      return remembered?.outdated ? undefined : remembered?.id
    },
    forget(topic) {
      const remembered = topics.get(topic)
      if (remembered) remembered.outdated = true
    },
  }
}

/** A broker that is cut off from the others still names the leader of an earlier term, or itself. */
function nextTerm(before: Leadership | undefined, found: Leadership): Leadership {
  if (!before || found.epoch > before.epoch) return found
  if (found.epoch < before.epoch) return { ...before, node: -1 }
  return found.node === before.node ? before : found
}
