import { newestFirst, type Reorganisation, readReorganisation, reorganisationsPartition } from '@headrace/catalog'
import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import type { Logger } from 'pino'

/** Reverted records of a partition: from the first one to the last revert. */
export interface NewestRevert extends Reorganisation {
  /** By the clock of the connector, in ms since the Unix epoch. */
  readonly time: number
}

export interface NewestReverts {
  /** Reads what was committed since the last call. Waits for no open transaction. */
  update(description: TopicDescription, writerIds: Iterable<string>): Promise<void>
  /** Newest first, at most `mostReverts`. */
  of(topic: string): readonly NewestRevert[]
}

export const mostReverts = 20
/** Of a partition, at the first call. */
const searchedOffsets = 8192n

export function createNewestReverts(queue: Queue, log: Logger): NewestReverts {
  const byTopic = new Map<string, readonly NewestRevert[]>()
  const readTo = new Map<number, bigint>()
  let topicId: string | undefined
  return {
    async update(description, writerIds) {
      const { id, partitions } = description
      const isCut = [...readTo].some(([partition, offset]) => offset > partitions[partition]!.end)
      if (id !== topicId || isCut) {
        byTopic.clear()
        readTo.clear()
      }
      topicId = id
      for (const partition of new Set(Array.from(writerIds, reorganisationsPartition)))
        await readPartition(description, partition)
    },
    of: (topic) => byTopic.get(topic) ?? [],
  }

  async function readPartition({ name: topic, id, partitions }: TopicDescription, partition: number): Promise<void> {
    const { earliest, end: to } = partitions[partition]!
    const from = readTo.get(partition) ?? (to - searchedOffsets > earliest ? to - searchedOffsets : earliest)
    const found = new Map<string, NewestRevert[]>()
    for await (const record of newestFirst(queue, { topic, topicId: id, partition, from, to })) {
      const revert = decode(record)
      if (!revert) continue
      const ofTopic = found.get(revert.topic) ?? []
      found.set(revert.topic, ofTopic)
      if (ofTopic.length < mostReverts) ofTopic.push({ ...revert, time: record.time })
    }
    for (const [name, reverts] of found) byTopic.set(name, newestOf([...reverts, ...(byTopic.get(name) ?? [])]))
    readTo.set(partition, to)
  }

  function decode(record: Parameters<typeof readReorganisation>[0]): Reorganisation | undefined {
    try {
      return readReorganisation(record)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      log.warn({ err: error }, 'reorganisation cannot be read')
      return undefined
    }
  }
}

/** A later one with the same first record replaces the earlier one. */
function newestOf(reverts: readonly NewestRevert[]): readonly NewestRevert[] {
  const byFirst = new Map<string, NewestRevert>()
  for (const revert of reverts) {
    const name = `${revert.partition}/${revert.first}`
    if (!byFirst.has(name)) byFirst.set(name, revert)
  }
  return [...byFirst.values()].slice(0, mostReverts)
}
