import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { World } from '../world/world.ts'
import type { Partition } from './partition.ts'
import { isTopicName } from './topic-configs.ts'

export interface Topic {
  readonly name: string
  readonly id: string
  readonly partitions: readonly Partition[]
  readonly configs: ReadonlyMap<string, string>
}

/** The topics of a cluster. Brokers learn of creation and deletion later than the controller. */
export interface Topics {
  /** The existing topics, as the controller knows them. */
  readonly current: ReadonlyMap<string, Topic>
  /** The partitions of all topics, deleted ones included. */
  readonly partitions: readonly Partition[]
  known(node: number, name: string): Topic | undefined
  knownById(node: number, id: string): Topic | undefined
  /** Returns an error code. */
  create(name: string, partitions: number, configs: ReadonlyMap<string, string>): number
  /** Adds partitions to a topic if a broker can have them. */
  grow(name: string, partitions: number): void
  delete(name: string): void
}

/**
 * @param canCreate - Whether any broker can have a partition.
 * @param createPartition - Creates a partition and has its leader elected.
 */
export function createTopics(
  world: World,
  canCreate: () => boolean,
  createPartition: (topic: Topic, index: number) => Partition,
): Topics {
  const current = new Map<string, OwnTopic>()
  const all: OwnTopic[] = []

  const isKnown = ({ partitions, size }: OwnTopic, node: number): boolean =>
    partitions.slice(0, size).every((partition) => partition.known(node).epoch >= 0)

  function add(topic: OwnTopic, count: number): void {
    const before = topic.partitions.length
    for (let index = before; index < before + count; index++) topic.partitions.push(createPartition(topic, index))
  }

  return {
    current,
    get partitions() {
      return all.flatMap(({ partitions }) => partitions)
    },
    known: (node, name) => all.findLast((topic) => topic.name === name && isKnown(topic, node)),
    knownById: (node, id) => all.find((topic) => topic.id === id && isKnown(topic, node)),
    create(name, size, configs) {
      if (!isTopicName(name)) return codes.INVALID_TOPIC_EXCEPTION
      if (current.has(name)) return codes.TOPIC_ALREADY_EXISTS
      if (!canCreate()) return codes.INVALID_REPLICATION_FACTOR
      const hex = world.random.hex(16).slice(2)
      const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
      const topic: OwnTopic = { name, id, partitions: [], configs, size }
      current.set(name, topic)
      all.push(topic)
      add(topic, size)
      return codes.NONE
    },
    grow(name, count) {
      if (canCreate()) add(current.get(name)!, count)
    },
    delete(name) {
      for (const partition of current.get(name)?.partitions ?? []) partition.remove()
      current.delete(name)
    },
  }
}

interface OwnTopic extends Topic {
  readonly partitions: Partition[]
  /** Number of partitions at creation. A broker learns of these together. */
  readonly size: number
}
