import { DamagedStorageError } from '../../errors.ts'
import type { Cleanup } from '../../queue.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'

export interface TopicRow {
  /** From 1 on, without holes: topics are never removed. */
  readonly id: number
  readonly name: string
  readonly uid: string
  readonly cleanup: Cleanup
}

export interface PartitionRow {
  /** From 1 on, without holes. */
  readonly id: number
  /** `id` of its topic. */
  readonly topic: number
  readonly number: number
  /** Offset of the earliest record that is kept. */
  readonly earliest: number
  /** Compaction has been through the records before this offset. */
  readonly compacted: number
}

/**
 * The rows of `topics` and `partitions`.
 *
 * @throws {DamagedStorageError} from every method but `storedPartitions`: a row does not match its checksum, or is missing.
 */
export interface TopicRows {
  topics(): TopicRow[]
  partitions(): PartitionRow[]
  partition(id: number): PartitionRow
  /** All rows of partitions, also those that do not match their checksum. */
  storedPartitions(): { readonly row: PartitionRow; readonly isIntact: boolean }[]
  // The following: within a write transaction.
  insertTopic(row: TopicRow): void
  insertPartition(row: PartitionRow): void
  updatePartition(row: PartitionRow): void
}

export function createTopicRows({ database, file }: Storage): TopicRows {
  const selectTopics = database.prepare('SELECT id, name, uid, cleanup, checksum FROM topics ORDER BY id')
  const select = 'SELECT id, topic, number, earliest, compacted, checksum FROM partitions'
  const selectPartitions = database.prepare(`${select} ORDER BY id`)
  const selectPartition = database.prepare(`${select} WHERE id = ?`)
  const insertTopic = database.prepare('INSERT INTO topics VALUES (?, ?, ?, ?, ?)')
  const insertPartition = database.prepare('INSERT INTO partitions VALUES (?, ?, ?, ?, ?, ?)')
  const updatePartition = database.prepare(
    'UPDATE partitions SET topic = ?, number = ?, earliest = ?, compacted = ?, checksum = ? WHERE id = ?',
  )

  function damaged(row: string): DamagedStorageError {
    return new DamagedStorageError(file, `${row} is missing or does not match its checksum`)
  }

  return {
    topics() {
      const rows = selectTopics.all() as unknown as Sealed<TopicRow>[]
      for (const [index, row] of rows.entries()) {
        if (row.id !== index + 1 || row.checksum !== topicChecksum(row)) throw damaged(`The row of topic ${index + 1}`)
      }
      return rows
    },
    partitions() {
      const rows = selectPartitions.all() as unknown as Sealed<PartitionRow>[]
      for (const [index, row] of rows.entries()) {
        if (row.id !== index + 1 || row.checksum !== partitionChecksum(row))
          throw damaged(`The row of partition ${index + 1}`)
      }
      return rows
    },
    storedPartitions() {
      const rows = selectPartitions.all() as unknown as Sealed<PartitionRow>[]
      return rows.map((row) => ({ row, isIntact: row.checksum === partitionChecksum(row) }))
    },
    partition(id) {
      const row = selectPartition.get(BigInt(id)) as Sealed<PartitionRow> | undefined
      if (row === undefined || row.checksum !== partitionChecksum(row)) throw damaged(`The row of partition ${id}`)
      return row
    },
    insertTopic: (row) => void insertTopic.run(row.id, row.name, row.uid, row.cleanup, topicChecksum(row)),
    insertPartition(row) {
      insertPartition.run(row.id, row.topic, row.number, row.earliest, row.compacted, partitionChecksum(row))
    },
    updatePartition(row) {
      updatePartition.run(row.topic, row.number, row.earliest, row.compacted, partitionChecksum(row), row.id)
    },
  }
}

type Sealed<Row> = Row & { readonly checksum: number }

function topicChecksum({ id, name, uid, cleanup }: TopicRow): number {
  return rowChecksum([id, name, uid, cleanup])
}

function partitionChecksum({ id, topic, number, earliest, compacted }: PartitionRow): number {
  return rowChecksum([id, topic, number, earliest, compacted])
}
