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
  /** Node id of each partition's leader; −1 where there is none now. */
  readonly leaders: readonly number[]
  /** How many brokers have a copy of a partition; the fewest of any partition. */
  readonly replicas: number
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
   * The node that leads a partition, as far as known. What is older than its age limit is asked for again meanwhile.
   * Throws `UnknownTopicError`, or a transient error.
   */
  leader(topic: string, partition: number): Promise<number>
  /** The id that a topic had when last asked for. */
  topicId(topic: string): string | undefined
  /** Asks again the next time. */
  forget(topic: string): void
}

interface Remembered extends TopicMetadata {
  /** When it was asked for, by the monotonic clock. Moved on when it is asked for again. */
  asked: number
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

  async function anyBroker(): Promise<BrokerConnection> {
    // A broker that takes connections and does not answer would use up the whole budget.
    if (last?.usable === false) first++
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
      const leaders: number[] = []
      for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId
      const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length))
      found.set(name, { name, id: topicId, internal: isInternal, leaders, replicas })
    }
    for (const name of names ?? topics.keys()) if (!found.has(name)) topics.delete(name)
    for (const topic of found.values()) topics.set(topic.name, { ...topic, asked })
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
      let leaders = remembered?.leaders
      if ((leaders?.[partition] ?? -1) < 0) leaders = (await fetch([topic])).get(topic)?.leaders
      if (!leaders) throw new UnknownTopicError(topic)
      const leader = leaders[partition]
      if (leader === undefined) throw new UnknownTopicError(topic, partition)
      if (leader < 0) throw new BrokerError(brokerErrorCodes.LEADER_NOT_AVAILABLE, `leader of "${topic}" ${partition}`)
      return leader
    },
    topicId: (topic) => topics.get(topic)?.id,
    forget(topic) {
      topics.delete(topic)
    },
  }
}
