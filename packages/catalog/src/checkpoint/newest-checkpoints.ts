import { type Logger, type Queue, type QueueRecord, type TopicDescription, UserError } from '@headrace/queue'
import { newestFirst } from '../position/newest-first.ts'
import { systemTopics } from '../system-topics/system-topics.ts'
import { type Checkpoint, checkpointPartition, decodeCheckpoint } from './checkpoint.ts'
import { type RunReport, readRunReport } from './run-report.ts'

export interface CommittedCheckpoint extends RunReport, Pick<Checkpoint, 'position' | 'unit' | 'final'> {
  /** By the clock of the connector, in ms since the Unix epoch. */
  readonly time: number
}

export interface NewestCheckpoints {
  /**
   * Reads what was committed since the last call, newest first, until it has a checkpoint of each writer. Waits for no
   * open transaction.
   */
  update(description: TopicDescription, writerIds: Iterable<string>): Promise<void>
  /** `undefined`: the instance has not committed, or its checkpoint cannot be read. */
  of(writerId: string): CommittedCheckpoint | undefined
}

interface KnownWriter {
  readonly checkpoint: CommittedCheckpoint | undefined
  /** Its partition was read up to this offset. */
  readonly readTo: bigint
}

export function createNewestCheckpoints(queue: Queue, log: Logger): NewestCheckpoints {
  const known = new Map<string, KnownWriter>()
  let topicId: string | undefined
  return {
    async update(description, writerIds) {
      if (description.id !== topicId) known.clear()
      topicId = description.id
      const wanted = new Set(writerIds)
      for (const writerId of known.keys()) if (!wanted.has(writerId)) known.delete(writerId)
      for (const [partition, writers] of Map.groupBy(wanted, checkpointPartition))
        await updatePartition(description, partition, writers)
    },
    of: (writerId) => known.get(writerId)?.checkpoint,
  }

  async function updatePartition(described: TopicDescription, partition: number, writers: string[]): Promise<void> {
    let description: TopicDescription | undefined = described
    for (let round = 0; description?.id === described.id && round < mostRounds; round++) {
      const hasRead = await readPartition(description, partition, writers)
      if (!hasRead || writers.every((writerId) => known.get(writerId)?.checkpoint)) return
      // Compaction may have removed a checkpoint before it was read, because of a later one.
      description = (await queue.describe([systemTopics.checkpoints]))[0]
    }
  }

  /** Whether the partition has changed since the last call. */
  async function readPartition(
    { name: topic, id: topicId, partitions }: TopicDescription,
    partition: number,
    writers: readonly string[],
  ): Promise<boolean> {
    const { earliest, end } = partitions[partition]!
    const missing = new Map<string, bigint>()
    for (const writerId of writers) {
      // A truncated log may have other records at these offsets.
      if ((known.get(writerId)?.readTo ?? 0n) > end) known.delete(writerId)
      missing.set(writerId, known.get(writerId)?.readTo ?? earliest)
    }
    const from = [...missing.values()].reduce((least, one) => (one < least ? one : least), end)
    if (from === end) return false
    for await (const record of newestFirst(queue, { topic, topicId, partition, from, to: end })) {
      const writerId = Buffer.from(record.key ?? []).toString()
      if (record.offset < (missing.get(writerId) ?? end)) continue
      missing.delete(writerId)
      known.set(writerId, { checkpoint: decode(writerId, record), readTo: end })
      if (missing.size === 0) break
    }
    for (const writerId of missing.keys())
      known.set(writerId, { checkpoint: known.get(writerId)?.checkpoint, readTo: end })
    return true
  }

  function decode(writerId: string, { value, time }: QueueRecord): CommittedCheckpoint | undefined {
    if (value === null) return undefined
    try {
      const { position, unit, final } = decodeCheckpoint(value)
      return { position, unit, final, time, ...readRunReport(value) }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      log.warn({ writerId, err: error }, 'checkpoint cannot be read')
      return undefined
    }
  }
}

/** Later rounds are too short for a compaction. */
const mostRounds = 10
