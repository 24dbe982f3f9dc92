import { randomUUID } from 'node:crypto'
import { DamagedStorageError, TopicMismatchError, UnknownTopicError } from '../../errors.ts'
import type { PartitionBounds, TopicDescription, TopicSpec } from '../../queue.ts'
import { type CheckedTopicSpec, checkTopicSpec, otherPartitionsRemedy } from '../../topic-spec.ts'
import { type BatchRows, endRow } from './batch-rows.ts'
import type { InSnapshot, Storage } from './storage.ts'
import type { Partition, TopicRow, TopicRows } from './topic-rows.ts'
import type { WriteLock } from './write-lock.ts'

export interface Topic extends TopicRow {
  readonly partitions: readonly Partition[]
}

export interface TopicTable {
  create(specs: readonly TopicSpec[]): Promise<void>
  describe(names?: readonly string[]): TopicDescription[]
  topic(name: string): Topic
  /** @throws {UnknownTopicError} */
  partition(topic: string, number: number): Partition
  all(): Topic[]
  earliest(partition: Partition): number
  bounds(partition: Partition): PartitionBounds
  /** Must run in a write transaction. */
  setEarliest(partition: Partition, offset: number): void
}

interface TopicTableParts {
  readonly rows: TopicRows
  readonly batchRows: BatchRows
  readonly lock: WriteLock
  readonly inSnapshot: InSnapshot
}

export function createTopicTable({ file }: Storage, parts: TopicTableParts): TopicTable {
  const { rows, batchRows, lock, inSnapshot } = parts
  const known = new Map<string, Topic>()

  function all(): Topic[] {
    // Another process may create a topic between the two statements.
    const [topics, partitionRows] = inSnapshot(() => [rows.topics(), rows.partitions()])
    const partitions = Map.groupBy(partitionRows, ({ topic }) => topic)
    if (partitions.size !== topics.length) throw new DamagedStorageError(file, 'Rows of topics are missing')
    return topics.map((row) => ({
      ...row,
      partitions: (partitions.get(row.id) ?? []).map(({ id, number }, index) => {
        if (number !== index) throw new DamagedStorageError(file, `A partition of topic "${row.name}" is missing`)
        return { id, topic: row.name, partition: number, cleanup: row.cleanup }
      }),
    }))
  }

  function loadNew(): Map<string, Topic> {
    for (const topic of all()) if (!known.has(topic.name)) known.set(topic.name, topic)
    return known
  }

  function find(name: string): Topic | undefined {
    return known.get(name) ?? loadNew().get(name)
  }

  function topic(name: string): Topic {
    const found = find(name)
    if (found === undefined) throw new UnknownTopicError(name)
    return found
  }

  function insert(spec: CheckedTopicSpec): void {
    const topic = rows.topics().length + 1
    rows.insertTopic({ id: topic, name: spec.name, uid: randomUUID(), cleanup: spec.cleanup })
    const first = rows.partitions().length + 1
    for (let number = 0; number < spec.partitions; number++) {
      rows.insertPartition({ id: first + number, topic, number, earliest: 0 })
      batchRows.insert({ id: first + number }, endRow({ end: 0, maxTime: -1 }))
    }
  }

  function bounds(partition: Partition): PartitionBounds {
    const { earliest } = rows.partition(partition.id)
    return { earliest: BigInt(earliest), end: BigInt(batchRows.readEnd(partition).end) }
  }

  return {
    async create(specs) {
      const wanted = specs.map(checkTopicSpec)
      const missing = inSnapshot(() => wanted.filter((spec) => !existsAsWanted(spec, find(spec.name))))
      if (missing.length === 0) return
      await lock.run(() => {
        // Another process, or an earlier spec, may have created it since.
        for (const spec of missing) {
          const existing = all().find(({ name }) => name === spec.name)
          if (!existsAsWanted(spec, existing)) insert(spec)
        }
      })
    },
    describe(wanted) {
      const names = [...new Set(wanted ?? loadNew().keys())].toSorted()
      const found = names.flatMap((name) => find(name) ?? [])
      return found.map(({ name, uid, cleanup, partitions }) => {
        return { name, id: uid, cleanup, partitions: partitions.map(bounds) }
      })
    },
    topic,
    partition(name, number) {
      const found = topic(name).partitions[number]
      if (found === undefined) throw new UnknownTopicError(name, number)
      return found
    },
    all,
    earliest: ({ id }) => rows.partition(id).earliest,
    bounds,
    setEarliest: ({ id }, earliest) => rows.setEarliest(id, earliest),
  }
}

function existsAsWanted(spec: CheckedTopicSpec, existing: Topic | undefined): boolean {
  if (existing === undefined) return false
  const partitions = existing.partitions.length
  const differences: string[] = []
  const otherPartitions = partitions !== spec.partitions
  if (otherPartitions) differences.push(`it has ${partitions} partitions, asked for ${spec.partitions}`)
  if (existing.cleanup !== spec.cleanup) {
    differences.push(`its cleanup is "${existing.cleanup}", asked for "${spec.cleanup}"`)
  }
  const remedy = otherPartitions ? { remedy: otherPartitionsRemedy(partitions) } : {}
  if (differences.length > 0) throw new TopicMismatchError(spec.name, differences.join(' and '), remedy)
  return true
}
