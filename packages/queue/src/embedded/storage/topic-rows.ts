import { DamagedStorageError } from '../../errors.ts'
import type { Cleanup } from '../../queue.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'

export interface TopicRow {
  /** From 1, without gaps: topics are never removed. */
  readonly id: number
  readonly name: string
  readonly uid: string
  readonly cleanup: Cleanup
}

export interface PartitionRow {
  /** From 1, without gaps. */
  readonly id: number
  readonly topic: number
  readonly number: number
  readonly earliest: number
}

export interface Partition {
  readonly id: number
  readonly topic: string
  readonly number: number
  readonly cleanup: Cleanup
}

/** Throws `DamagedStorageError` for a damaged or missing row. Changes must run in a write transaction. */
export interface TopicRows {
  topics(): TopicRow[]
  partitions(): PartitionRow[]
  partition(id: number): PartitionRow
  storedPartitions(): { readonly row: PartitionRow; readonly isIntact: boolean }[]
  insertTopic(row: TopicRow): void
  insertPartition(row: PartitionRow): void
  updatePartition(row: PartitionRow): void
}

export function createTopicRows({ database, file }: Storage): TopicRows {
  const selectTopics = database.prepare('SELECT id, name, uid, cleanup, checksum FROM topics ORDER BY id')
  const select = 'SELECT id, topic, number, earliest, checksum FROM partitions'
  const selectPartitions = database.prepare(`${select} ORDER BY id`)
  const selectPartition = database.prepare(`${select} WHERE id = ?`)
  const insertTopic = database.prepare('INSERT INTO topics VALUES (?, ?, ?, ?, ?)')
  const insertPartition = database.prepare('INSERT INTO partitions VALUES (?, ?, ?, ?, ?)')
  const updatePartition = database.prepare(
    'UPDATE partitions SET topic = ?, number = ?, earliest = ?, checksum = ? WHERE id = ?',
  )

  function damaged(row: string): DamagedStorageError {
    return new DamagedStorageError(file, `${row} is missing or does not match its checksum`)
  }

  return {
    topics() {
      const rows = selectTopics.all() as unknown as WithChecksum<TopicRow>[]
      for (const [index, row] of rows.entries()) {
        if (row.id !== index + 1 || row.checksum !== topicChecksum(row)) throw damaged(`The row of topic ${index + 1}`)
      }
      return rows
    },
    partitions() {
      const rows = selectPartitions.all() as unknown as WithChecksum<PartitionRow>[]
      for (const [index, row] of rows.entries()) {
        if (row.id !== index + 1 || row.checksum !== partitionChecksum(row))
          throw damaged(`The row of partition ${index + 1}`)
      }
      return rows
    },
    storedPartitions() {
      const rows = selectPartitions.all() as unknown as WithChecksum<PartitionRow>[]
      return rows.map((row) => ({ row, isIntact: row.checksum === partitionChecksum(row) }))
    },
    partition(id) {
      const row = selectPartition.get(BigInt(id)) as WithChecksum<PartitionRow> | undefined
      if (row === undefined || row.checksum !== partitionChecksum(row)) throw damaged(`The row of partition ${id}`)
      return row
    },
    insertTopic: (row) => void insertTopic.run(row.id, row.name, row.uid, row.cleanup, topicChecksum(row)),
    insertPartition(row) {
      insertPartition.run(row.id, row.topic, row.number, row.earliest, partitionChecksum(row))
    },
    updatePartition(row) {
      updatePartition.run(row.topic, row.number, row.earliest, partitionChecksum(row), row.id)
    },
  }
}

type WithChecksum<Row> = Row & { readonly checksum: number }

function topicChecksum({ id, name, uid, cleanup }: TopicRow): number {
  return rowChecksum([id, name, uid, cleanup])
}

function partitionChecksum({ id, topic, number, earliest }: PartitionRow): number {
  return rowChecksum([id, topic, number, earliest])
}
