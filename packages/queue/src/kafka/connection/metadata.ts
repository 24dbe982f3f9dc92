import { UnknownTopicError } from '../../errors.ts'
import type { BrokerAddress } from '../../queue-url.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { BrokerError, brokerErrorCodes, checkAnswer, NoAnswerError } from './broker-error.ts'
import type { Connections } from './connections.ts'
import { metadataRequest } from './requests.ts'

export interface TopicMetadata {
  readonly name: string
  /** The broker's id of the topic (KIP-516): another after it was deleted and created again. */
  readonly id: string
  /** Kafka's own, like `__transaction_state`. */
  readonly internal: boolean
  /** Node id of each partition's leader; −1 where there is none now. */
  readonly leaders: readonly number[]
}

/** What the brokers say of themselves and of topics, and what of it is remembered. */
export interface Metadata {
  /** Connection to any broker that answers. */
  anyBroker(): Promise<BrokerConnection>
  /** Address of a broker by its node id. */
  address(node: number): BrokerAddress
  /** Remembers a broker. */
  addBroker(node: number, address: BrokerAddress): void
  /** Asks for the named topics that exist, or all. */
  fetch(topics: readonly string[] | null): Promise<Map<string, TopicMetadata>>
  /** The node that leads a partition, as far as known. Throws `UnknownTopicError`, or a transient error. */
  leader(topic: string, partition: number): Promise<number>
  /** Asks again the next time. */
  forget(topic: string): void
}

export function createMetadata(bootstrap: readonly BrokerAddress[], connections: Connections): Metadata {
  const brokers = new Map<number, BrokerAddress>()
  const topics = new Map<string, TopicMetadata>()

  async function anyBroker(): Promise<BrokerConnection> {
    let failure: unknown
    for (const address of [...brokers.values(), ...bootstrap]) {
      try {
        return await connections.to(address)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async function fetch(names: readonly string[] | null): Promise<Map<string, TopicMetadata>> {
    const connection = await anyBroker()
    const answer = await connection.request(metadataRequest, names && [...names], false, false)
    brokers.clear()
    for (const { nodeId, host, port } of answer.brokers) brokers.set(nodeId, { host, port })
    const found = new Map<string, TopicMetadata>()
    for (const { errorCode, name, topicId, isInternal, partitions } of answer.topics) {
      if (errorCode === brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION || !name) continue
      checkAnswer(errorCode, `metadata of topic "${name}"`)
      const leaders: number[] = []
      for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId
      found.set(name, { name, id: topicId, internal: isInternal, leaders })
    }
    for (const name of names ?? topics.keys()) if (!found.has(name)) topics.delete(name)
    for (const topic of found.values()) topics.set(topic.name, topic)
    return found
  }

  return {
    anyBroker,
    fetch,
    address(node) {
      const address = brokers.get(node)
      if (!address) throw new NoAnswerError(`broker ${node} is not known`)
      return address
    },
    addBroker(node, address) {
      brokers.set(node, address)
    },
    async leader(topic, partition) {
      let leaders = topics.get(topic)?.leaders
      if ((leaders?.[partition] ?? -1) < 0) leaders = (await fetch([topic])).get(topic)?.leaders
      if (!leaders) throw new UnknownTopicError(topic)
      const leader = leaders[partition]
      if (leader === undefined) throw new UnknownTopicError(topic, partition)
      if (leader < 0) throw new BrokerError(brokerErrorCodes.LEADER_NOT_AVAILABLE, `leader of "${topic}" ${partition}`)
      return leader
    },
    forget(topic) {
      topics.delete(topic)
    },
  }
}
