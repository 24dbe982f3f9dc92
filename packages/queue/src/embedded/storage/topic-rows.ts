import { DamagedStorageError } from '../../errors.ts'
import type { Cleanup, TopicPartition } from '../../queue.ts'
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

export interface Partition extends TopicPartition {
  readonly id: number
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
  setEarliest(id: number, earliest: number): void
}

export function createTopicRows({ database, file }: Storage): TopicRows {
  const selectTopics = database.prepare('SELECT id, name, uid, cleanup, checksum FROM topics ORDER BY id')
  const select = 'SELECT id, topic, number, earliest, checksum FROM partitions'
  const selectPartitions = database.prepare(`${select} ORDER BY id`)
  const selectPartition = database.prepare(`${select} WHERE id = ?`)
  const insertTopic = database.prepare('INSERT INTO topics VALUES (?, ?, ?, ?, ?)')
  const insertPartition = database.prepare('INSERT INTO partitions VALUES (?, ?, ?, ?, ?)')
  const updateEarliest = database.prepare('UPDATE partitions SET earliest = ?, checksum = ? WHERE id = ?')

  function damaged(kind: 'topic' | 'partition', id: number): DamagedStorageError {
    return new DamagedStorageError(file, `The row of ${kind} ${id} is missing or does not match its checksum`)
  }

  function partition(id: number): PartitionRow {
    const row = selectPartition.get(BigInt(id)) as WithChecksum<PartitionRow> | undefined
    if (row === undefined || row.checksum !== partitionChecksum(row)) throw damaged('partition', id)
    return row
  }

  function storedPartitions(): { readonly row: PartitionRow; readonly isIntact: boolean }[] {
    const rows = selectPartitions.all() as unknown as WithChecksum<PartitionRow>[]
    return rows.map((row) => ({ row, isIntact: row.checksum === partitionChecksum(row) }))
  }

  return {
    topics() {
      const rows = selectTopics.all() as unknown as WithChecksum<TopicRow>[]
      const damagedAt = rows.findIndex((row, index) => row.id !== index + 1 || row.checksum !== topicChecksum(row))
      if (damagedAt >= 0) throw damaged('topic', damagedAt + 1)
      return rows
    },
    partitions: () =>
      storedPartitions().map(({ row, isIntact }, index) => {
        if (row.id !== index + 1 || !isIntact) throw damaged('partition', index + 1)
        return row
      }),
    storedPartitions,
    partition,
    insertTopic: (row) => void insertTopic.run(row.id, row.name, row.uid, row.cleanup, topicChecksum(row)),
    insertPartition(row) {
      insertPartition.run(row.id, row.topic, row.number, row.earliest, partitionChecksum(row))
    },
    setEarliest: (id, earliest) =>
      void updateEarliest.run(earliest, partitionChecksum({ ...partition(id), earliest }), id),
  }
}

type WithChecksum<Row> = Row & { readonly checksum: number }

function topicChecksum({ id, name, uid, cleanup }: TopicRow): number {
  return rowChecksum([id, name, uid, cleanup])
}

function partitionChecksum({ id, topic, number, earliest }: PartitionRow): number {
  return rowChecksum([id, topic, number, earliest])
}
