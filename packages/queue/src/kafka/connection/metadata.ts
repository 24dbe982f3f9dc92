import { UnknownTopicError, UserError } from '../../errors.ts'
import type { BrokerAddress } from '../../queue-url.ts'
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
  /**
   * Whether the leader is known to have caught up: its high watermark has passed the start of its term. Until then it
   * answers Fetch as if the newest records that its predecessor had committed were not there (KIP-207).
   */
  caughtUp: boolean
}

/** What the brokers say of themselves and of topics, and what of it is remembered. */
export interface Metadata {
  /** Connection to any broker that answers: the same one as long as it does. */
  anyBroker(): Promise<BrokerConnection>
  /** Node ids of the brokers that were there when last asked. */
  nodes(): readonly number[]
  /** Address of a broker by its node id. */
  address(node: number): BrokerAddress
  /** Remembers a broker. */
  addBroker(node: number, address: BrokerAddress): void
  /** Asks for the named topics that exist, or all. */
  fetch(topics: readonly string[] | null): Promise<Map<string, TopicMetadata>>
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
  let first = 0
  let last: BrokerConnection | undefined
  /** Whether the broker asked last knew less than another one did before. */
  let behind = false

  async function anyBroker(): Promise<BrokerConnection> {
    // A broker that takes connections and does not answer would use up the whole budget.
    if (last?.usable === false || behind) first++
    behind = false
    const addresses = [...brokers.values(), ...bootstrap]
    let failure: unknown
    for (let index = 0; index < addresses.length; index++) {
      try {
        last = await connections.to(addresses[(first + index) % addresses.length]!)
        return last
      } catch (error) {
        // What somebody must mend is over another broker's absence, which may pass.
        if (!(failure instanceof UserError)) failure = error
      }
    }
    throw failure
  }

  async function fetch(names: readonly string[] | null): Promise<Map<string, TopicMetadata>> {
    const connection = await anyBroker()
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
      for (const { partitionIndex, leaderId, leaderEpoch } of partitions) {
        const before = known?.id === topicId ? known.leaders[partitionIndex] : undefined
        leaders[partitionIndex] = nextTerm(before, { node: leaderId, epoch: leaderEpoch, caughtUp: false })
        if (before && leaderEpoch < before.epoch) behind = true
      }
      const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length))
      found.set(name, { name, id: topicId, internal: isInternal, leaders, replicas })
    }
    for (const name of names ?? topics.keys()) if (!found.has(name)) topics.delete(name)
    for (const topic of found.values()) topics.set(topic.name, { ...topic, asked, outdated: false })
    return found
  }

  function refreshAged(topic: Remembered): void {
    if (performance.now() - topic.asked < metadataMaxAgeMs) return
    topic.asked = performance.now()
    fetch([topic.name]).catch(() => {})
  }

  return {
    anyBroker,
    fetch,
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
